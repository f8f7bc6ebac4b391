const half = "aB3dE6gH9kLm2NpQ";
const other = "5rS8tUv1WxY4zC7f";
const whole = half + other;
const secret = (text: string) => `«high_entropy_value|${text}»`;

export const highEntropy: Record<string, readonly string[]> = {
  "a random text needs thirty-two characters, twelve of them without a separator": [
    secret(whole),
    whole.slice(1),
    secret("aB3dE6gH9kLm/NpQ5rS8tUv1/WxY4zC7f"),
    "aB3dE6gH9kL/m2NpQ5rS8tU/v1WxY4zC7q",
    "0123456789abcdefABCDEF0123456789AB",
    `x ${secret(`${whole}==`)}= x`,
    `x ${secret(`${whole}=`)} x`,
  ],
  "a random text includes a single dash at either end, and up to four dashes inside": [
    secret(`-${whole}`),
    secret(`${whole}-`),
    `x ${secret(`-${whole}-`)} x`,
    `--${secret(whole)}`,
    `${secret(whole)}--`,
    secret(`${half}-${other}`),
    secret(`${half}----${other}`),
    `${half}-----${other}`,
    `${secret(`${whole}==-`)}${secret(whole)}`,
  ],
  "a random text stays if it is a digest, a file or a public id": [
    `sha256-${whole}`,
    secret(`xsha256-${whole}`),
    `pk_live_${whole.replace("3", "_")}`,
    `iVBORw0KGgo${whole}`,
    `AAAAB3NzaC${whole}`,
    secret(`AAAAb3NzaC${whole}`),
    `Qm${whole}${half.slice(4)}`,
    secret(`Qm${whole}${half.slice(5)}`),
    secret(`Qn${whole}${half.slice(4)}`),
    secret(`Qm0${whole}${half.slice(5)}`),
    secret(`Qm${whole}${half.slice(5)}0`),
    `1${whole}x`,
    `3${whole}`,
    secret(`1${whole}xy`),
    secret(`2${whole}x`),
    secret(`1${whole.slice(1)}0`),
    secret(`10${whole.slice(1)}`),
  ],
  "a random text stays if its label says that it is public": [
    `etag: "${whole}"`,
    `etag : = "${whole}"`,
    `Integrity=${whole}`,
    `${secret(whole)} etag1`,
    `${secret(whole)} etag123456`,
    `${secret(`${whole}etag`)}:${secret(whole)}`,
    `${secret(`${whole}etag==`)}${secret(whole)}`,
    `${`${secret(`${whole}etag`)}:`.repeat(20)}${secret(whole)}`,
  ],
  "a random text stays if it is encrypted": [
    "spring.datasource.password=ENC({alnum:34}==)",
    'The tests only pass with this:\nsecure: "{alnum:64}/{alnum:64}+{alnum:108}"',
    `password: ENC[AES256_GCM,data:${whole},iv:${whole},tag:${whole},type:str]`,
    `encryptedData:\n  password: AgB/${whole.repeat(4)}`,
    `password: ENC[AES256_GCM,date:${secret(whole)}]`,
  ],
  "a random text stays if it is part of an address": [
    `https://www.figma.com/file/rw3mbHudijOb2AlnglIVBC/Login?node-id=12-345`,
    `https://example.com/${whole}`,
    `arn:aws:${whole}`,
    `data:x/y;base64,${whole}`,
    `x:${secret(whole)}`,
  ],
  "a random text is found after a header without a certificate": [
    `-----BEGIN PUBLIC NOTE-----\n\n${secret(whole)}`,
    `-----BEGIN PUBLIC NOTE-----\n${"a ".repeat(1000)}\n\n${secret(whole)}`,
  ],
};
