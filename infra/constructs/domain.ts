import { CfnDomainName, EndpointType, SecurityPolicy, type SpecRestApi } from "aws-cdk-lib/aws-apigateway";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { CfnRecordSet } from "aws-cdk-lib/aws-route53";
import { Construct } from "constructs";

export type DomainProps = {
  readonly restApi: SpecRestApi;
  readonly domainName: string;
  readonly certificateArn: string;
  /** Without it the operator creates the record, from the stack's `DomainTarget`. */
  readonly hostedZoneId: string | undefined;
  readonly basePath: string | undefined;
};

/** The stack option `domainName`: the API at the operator's own address, over IPv4 and IPv6. */
export class Domain extends Construct {
  readonly target: string;

  constructor(scope: Construct, id: string, props: DomainProps) {
    super(scope, id);
    const { restApi, domainName, certificateArn, hostedZoneId, basePath } = props;
    const domain = restApi.addDomainName("Domain", {
      domainName,
      certificate: Certificate.fromCertificateArn(this, "Certificate", certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
      ...(basePath !== undefined && { basePath }),
    });
    if (domain.node.defaultChild instanceof CfnDomainName)
      domain.node.defaultChild.addPropertyOverride("EndpointConfiguration.IpAddressType", "dualstack");
    this.target = domain.domainNameAliasDomainName;
    if (hostedZoneId === undefined) return;
    for (const [name, type] of [
      ["Record", "A"],
      ["Ipv6Record", "AAAA"],
    ] as const)
      new CfnRecordSet(this, name, {
        name: domainName,
        type,
        hostedZoneId,
        aliasTarget: { dnsName: this.target, hostedZoneId: domain.domainNameAliasHostedZoneId },
      });
  }
}
