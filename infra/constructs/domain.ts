import { EndpointType, type RestApi, SecurityPolicy } from "aws-cdk-lib/aws-apigateway";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { CfnRecordSet } from "aws-cdk-lib/aws-route53";
import { Construct } from "constructs";

export type DomainProps = {
  readonly restApi: RestApi;
  readonly domainName: string;
  readonly certificateArn: string;
  /** Without it the record is the operator's to make, from the stack's `DomainTarget`. */
  readonly hostedZoneId: string | undefined;
};

/** The stack option `domainName`: the API at the root of an address of the operator's own. */
export class Domain extends Construct {
  readonly target: string;

  constructor(scope: Construct, id: string, props: DomainProps) {
    super(scope, id);
    const { restApi, domainName, certificateArn, hostedZoneId } = props;
    const domain = restApi.addDomainName("Domain", {
      domainName,
      certificate: Certificate.fromCertificateArn(this, "Certificate", certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    this.target = domain.domainNameAliasDomainName;
    if (hostedZoneId !== undefined)
      new CfnRecordSet(this, "Record", {
        name: domainName,
        type: "A",
        hostedZoneId,
        aliasTarget: { dnsName: this.target, hostedZoneId: domain.domainNameAliasHostedZoneId },
      });
  }
}
