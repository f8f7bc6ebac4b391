import * as z from "zod";
import type { Resource, StackTemplate } from "../infra/support.ts";

const reference = z.object({ Ref: z.string() });
const attribute = z.object({ "Fn::GetAtt": z.tuple([z.string(), z.string()]) });
const joined = z.object({ "Fn::Join": z.tuple([z.string(), z.array(z.unknown())]) });

/** Resolves the template as CloudFormation would: names and ARNs in place of references to resources. */
export class Account {
  readonly region = "eu-test-1";
  readonly #id = "111122223333";
  readonly #template: StackTemplate;
  readonly #tableName: string;

  constructor(template: StackTemplate, tableName: string) {
    this.#template = template;
    this.#tableName = tableName;
  }

  /** Throws if the template refers to something that it does not contain. */
  resolve(value: unknown): string {
    if (typeof value === "string") return value;
    const join = joined.safeParse(value).data;
    if (join) return join["Fn::Join"][1].map((part) => this.resolve(part)).join(join["Fn::Join"][0]);
    const ref = reference.safeParse(value).data;
    if (ref) return this.#name(ref.Ref);
    const [id, name] = attribute.parse(value)["Fn::GetAtt"];
    if (name !== "Arn") throw new Error(`The account knows no attribute ${name} of ${id}.`);
    return this.#arn(id);
  }

  tableArn = (name: string): string => `arn:aws:dynamodb:${this.region}:${this.#id}:table/${name}`;
  bucketArn = (name: string): string => `arn:aws:s3:::${name}`;
  modelArn = (id: string, region = this.region): string =>
    `arn:aws:bedrock:${region}::foundation-model/${id}`;
  /** The ARN of a queue, by its URL. */
  queueArn = (url: string): string =>
    `arn:aws:sqs:${this.region}:${this.#id}:${new URL(url).pathname.split("/").at(-1)}`;

  #name(id: string): string {
    const pseudo = {
      "AWS::Region": this.region,
      "AWS::AccountId": this.#id,
      "AWS::Partition": "aws",
      "AWS::URLSuffix": "amazonaws.com",
    };
    if (Object.hasOwn(pseudo, id)) return Reflect.get(pseudo, id);
    const { Type, Properties } = this.#resource(id);
    switch (Type) {
      case "AWS::DynamoDB::Table":
        return this.#tableName;
      case "AWS::SQS::Queue":
        return `https://sqs.${this.region}.amazonaws.com/${this.#id}/${id}.fifo`;
      case "AWS::S3::Bucket":
        return id.toLowerCase();
      case "AWS::ApiGateway::Stage":
        return z.string().parse(Properties.StageName);
      default:
        return id;
    }
  }

  #arn(id: string): string {
    const { Type } = this.#resource(id);
    switch (Type) {
      case "AWS::DynamoDB::Table":
        return this.tableArn(this.#name(id));
      case "AWS::SQS::Queue":
        return this.queueArn(this.#name(id));
      case "AWS::S3::Bucket":
        return this.bucketArn(this.#name(id));
      default:
        return `arn:aws:${Type.split("::")[1]?.toLowerCase()}:${this.region}:${this.#id}:${id}`;
    }
  }

  #resource(id: string): Resource {
    const resource = this.#template.Resources[id];
    if (!resource) throw new Error(`The template refers to ${id} and does not hold it.`);
    return resource;
  }
}

/** IAM's wildcards: `*` is any text. */
export const matchesPattern = (pattern: string, text: string): boolean =>
  new RegExp(`^${pattern.split("*").map(literally).join(".*")}$`, "s").test(text);

const literally = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
