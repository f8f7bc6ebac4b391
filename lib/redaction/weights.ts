/** What each sign weighs, in tenths. `npm run fit:redaction` learned it from 55289 values of labelled texts. */
export const bias = -21;
const table = `
address: access7 3 password-1 2 token7 2 token-1 -2 name7 -3 public-1 -13
around: :_ 8 _q 8 qq 7 :: 6 __ 4 _n 3 _, 3 nn 3 =n 1 oo 1 =_ -4 :, -4 (_ -4 <> -5 _; -5
bridge: ,_q 14 _/_ 10 =_q 4 >_ 4 //: 3 = 2 :_ 1 _q 1 ):_ 1 ,_ 1 =q 1 : -1 q_ -1 __ -1 q:q -2 :_q -2 _ -3 / -3 ___ -3 ( -5
chars: dulsj 20 dulj 16 dul 16 num10 15 dulsjp 14 num6 13 dulsp 12 duls 11 dl 11 dulp 7 duljp 7 num8 7 du 6 dlsj 6 dlj 5 num4 4 hex128 3 dlsjp 2 num5 1
  hex32 -1 usj -2 ljp -3 lsp -3 ulj -6 hex40 -7 uls -7 hex24 -7 hex16 -7 ul -8 hex -8 lj -9 dlp -11 uuid -13 lsj -14 us -19 ls -21
code: token-1 9 access-1 3 id0 2 access1 1 rule-1 -1 password2 -1 token0 -2 hash-1 -5 access5 -6
decorated: verb-1 8 leak-1 2 password5 1 name-1 -1 id0 -1 leak0 -1 password-1 -4
diceware: hash-1 18 public-1 18 id-1 5 name-1 3 password0 2
dotted: access-1 2 token-1 1 name-1 -1 password2 -1 name7 -1 id7 -1 public-1 -2 hash-1 -4 leak-1 -4 rule7 -5
expression: leak-1 -1 id-1 -2 name0 -7
four: pin6 7 pin5 6 public-1 5 rule-1 5 leak-1 5 password0 4 id-1 2 access-1 2 access0 2 verb0 1 token-1 1 token7 1 password5 -2 password-1 -3 id0 -7
  pin-1 -13
harmless: password-1 6 token-1 1 hash-1 -1 id2 -2 password0 -3 name-1 -4 pin-1 -7
last: token 21 pass 21 k 19 password 16 secret 13 deploy 13 p 8 value 8 is 6 d 6 auth 6 pwd 6 apikey 5 api 4 echo 4 pw 4 jsessionid 4 clickup 3 admin 2
  pat 1 app 1 ci 1 root 1 iv -1 task -1 modulus -1 s -2 tenant -2 base -2 clientid -2 region -3 in -3 db -4 as -4 de -5 account -5 crt -5 the -6 y -6
  traceparen -6 https -7 mac -7 sha -9 user -10 commit -10 customer -10 for -11 actions -11 job -11 accessor -12 id -13 index -14 rid -14 h -20
  username -27
led: dq:q 24 password= 14 password 12 = 12 auth 11 token= 9 pin 9 token 8 key= 6 p 6 x 6 jsessionid= 4 secret 2 x, 1 password,q -1 as -1 modulus> -1
leet: public-1 10 hash-1 5 name-1 3 password1 3 token0 2 name1 2 access2 1 name6 -1 access6 -1 access-1 -2 rule0 -2 password5 -2 token-1 -3 password-1 -4
  password2 -4 access5 -7 id2 -8
line: truefalse -4 falsetrue -5
look: strong 21 random 8 mixed 7 token 5 scattered 2 diceware 1 thing -1 harmless -1 address -3 dotted -3 leet -4 expression -9 named -11 public -32
mail: access-1 12 name0 8 password-1 3 id-1 3 token-1 2 password0 -2 access0 -3 name-1 -5
mixed: password0 3 token-1 3 verb0 3 id-1 2 name5 2 rule0 2 pin-1 1 public-1 1 password6 1 leak2 1 leak-1 -1 public7 -1 token0 -3 token2 -3 password-1 -4
named: leak-1 -2 public-1 -5 pin-1 -6 hash-1 -7
next: as 15 x 10 apa 9 for 3 and 3 https 1 client -1 the -2 modulus -4 with -5 is -6 p -6 password -7 has -7 z -9 true -9 not -9 are -15
numbered: token-1 10 pin-1 9 verb-1 3 access-1 3 hash-1 1 id-1 1 password-1 -4
ordinary: token0 6 access-1 4 pin0 4 password-1 2 name-1 1 password0 1 password7 -1 access7 -2 access0 -2 token5 -5 token-1 -6 pin-1 -8 hash7 -14
pair: id-1 8 token-1 5 name-1 5 verb0 4 leak-1 2 rule-1 2 pin-1 1
path: name2 8 public7 2 token7 1 password7 1 public6 -1 leak-1 -4 token-1 -6 password0 -14
pattern: id-1 -3 name-1 -16
product: name-1 -5 public-1 -7
public: token5 5 token-1 -3 access0 -3 password-1 -4 verb-1 -5 token0 -18
random: hash-1 6 pin6 6 name0 4 hash2 3 public-1 2 token-1 -1 pin-1 -3 public6 -4 name-1 -5 id0 -6
says: pin6 13 hash-1 10 pin5 9 password0 7 name-1 3 access0 3 rule7 2 token-1 1 id-1 1 verb0 1 rule4 1 access1 -1 rule2 -1 token5 -1 leak1 -1 token3 -1
  rule6 -2 name2 -2 pin-1 -3 name7 -3 leak5 -3 rule1 -4 password4 -4 password3 -4 password-1 -5 access-1 -5 id0 -5 name1 -5 id7 -5 hash1 -5 rule3 -5 id3 -5
  access2 -6 name0 -6 access7 -7 verb-1 -7 public7 -7 token0 -8 password2 -9 token1 -9 hash0 -9 public6 -9 token2 -10 pin2 -12 password7 -13 public0 -16
scattered: pin6 6 public-1 5 pin5 4 password0 2 hash-1 2 public5 2 hash2 2 id7 1 token6 1 password-1 -2 access-1 -2 name6 -2 password6 -6 id0 -7
  public0 -12
scrambled: public-1 5 id-1 -2 name7 -2 access0 -3 token7 -4 password2 -6 leak-1 -7
shouted: token-1 9 password0 3 pin0 3 hash-1 2
signed: public-1 13 access0 6 public7 6 password0 4 id-1 2 token6 2 token-1 1 access7 -1 password-1 -2 id7 -2 hash6 -2 public6 -3 name2 -3 leak-1 -4
  access-1 -5 token0 -7
size: duljp12 22 duj12 22 dlj11 19 dlj4 18 dulj12 17 dulsj12 14 dlj12 14 num102 14 dl8 14 duls3 12 duls2 12 num61 11 dulsp11 11 dulj11 10 dlj3 9 dl2 9
  ul3 7 duls4 6 hex1 6 dulp12 6 dulsjp12 6 dlj9 5 ulj9 5 dulj3 5 dulsj4 5 num82 5 dulj4 4 num41 4 lj6 4 duls11 4 du5 3 hex12812 3 duj7 3 dul10 2 num51 1
  duls12 -1 dlj5 -1 hex4010 -2 uls1 -2 hex2 -2 dlj8 -2 ls1 -3 dul1 -3 duj1 -3 dls1 -3 ls2 -4 ulj5 -5 ul2 -6 num1 -6 duj2 -6 hex164 -6 du3 -6 hex246 -7
  dul6 -8 lj3 -9 hex3 -9 dulj6 -10 dl1 -10 uuid9 -12 dlj1 -13 dulj7 -14 dulj5 -18 lj1 -25 lj2 -28
standin: rule-1 3 password-1 2 password0 -11 pin-1 -14 hash-1 -22
strong: hash2 4 hash7 3 id7 2 password0 1 rule7 -1 pin-1 -3 rule-1 -3 name-1 -3 access6 -3 leak-1 -4 password-1 -4 token7 -8 token-1 -10 hash0 -10
thing: id0 4 pin0 4 access0 3 token-1 2 password0 1 name7 1 rule2 -1 hash-1 -2 name0 -2 token6 -2 access7 -3 public-1 -3 pin-1 -4
token: token0 7 access0 5 hash7 5 access2 5 hash-1 3 public-1 3 pin-1 2 verb-1 2 password-1 2 id5 2 rule-1 1 leak-1 1 access-1 1 name5 1 public6 -2
  access6 -3 token-1 -7 public0 -9
unusual: public-1 2 password-1 1 access0 -1 name5 -1 id-1 -2 public6 -7
word: setup 35 privatekey 26 backup 25 bot 25 ops 20 asana 20 server 19 presharedk 19 keytool 19 static 16 xd 15 pat 14 alarm 14 la 13 storepass 13 byte 12
  hmac 12 validation 11 admin 10 key 10 jwt 10 totp 10 codes 10 unused 10 de 9 session 9 recovery 9 токен 9 бота 9 preview 9 passphrase 8 echo 8 ist 8
  safe 8 pincode 8 uint 7 api 7 sync 7 it 7 codecov 7 char 7 wlan 7 svc 6 x 6 der 6 community 6 xe 6 seed 6 note 6 cmd 6 u 5 xf 5 cookie 5 app 5 set 5
  schlüssel 5 legacy 5 xc 5 bob 5 puk 5 partner 5 appkey 5 b 4 the 4 do 4 const 4 redis 4 jsessionid 4 webhook 4 requirepas 4 door 4 root 3 curl 3 https 3
  snyk 3 config 3 sign 3 users 3 can 3 out 3 srcstorepa 3 old 3 acme 3 clickup 3 cli 2 s 2 by 2 demo 2 ci 2 apikey 2 sonar 2 smtp 2 enter 2 shared 2 jks 2
  dynatrace 2 k 2 encryption 2 am 2 is 1 t 1 fa 1 to 1 url 1 log 1 aes 1 services 1 example 1 wallet 1 alice 1 token -1 for -1 reset -1 secretname -1
  secrets -1 r -1 golang -1 oauth -1 string -1 rsa -1 payment -1 service -2 path -2 gpg -2 a -2 account -2 az -2 http -2 idempotenc -2 appid -2 zone -2
  pod -2 github -3 c -3 page -3 test -3 from -3 authentica -3 sha -3 message -3 txt -3 password -4 resource -4 credential -4 rev -4 enc -4 at -4 site -4
  charge -4 verificati -4 base -5 eu -5 e -5 cf -5 file -5 image -5 main -5 customer -5 secret -6 data -6 stripe -6 address -6 traceparen -6 ipfs -6
  auth -7 header -7 id -7 docker -7 trace -7 index -8 kid -8 ec -8 cus -8 org -9 table -9 info -9 price -9 nonce -10 format -10 channel -10 airtable -10
  ssh -11 actions -11 crc -11 event -12 keys -12 led -12 region -13 accessor -13 tls -13 src -14 google -14 rid -14 nist -15 secretsman -16 vapid -16
  jun -17 error -20 cognito -21 rfc -22 arn -24 gcm -27 kty -29 websocket -29 sbox -40
words: token-1 7 pin-1 4 rule-1 2
year: verb-1 -2 password-1 -9`;
/** Each family begins a line, with its name and a colon. */
export const weights: ReadonlyMap<string, number> = new Map(
  table.split(/\n(?! )/).flatMap((family) => {
    const name = family.slice(0, family.indexOf(":") + 1);
    return [...family.slice(name.length).matchAll(/(\S+) (-?\d+)/g)].map(([, sign, weight]) => [name + sign, Number(weight)] as const);
  }),
);
