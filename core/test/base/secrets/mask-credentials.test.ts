import assert from "node:assert/strict";
import { redactText } from "../../../src/base/redact.js";
import { maskCredentials, maskWords } from "../../../src/base/secrets/mask-credentials.js";
import { maskedLines } from "../../../src/sessions/conversations/masked-lines.js";
import { KnownSecrets } from "../../../src/base/secrets/known-secrets.js";
import { redactParams } from "../../../src/sessions/trace/redact-params.js";

const letters = "Zq7AbCdEfGhIjKlMnOpQrStUvWxYz0123456789aBcDeFgHiJk";
const hex = "0a1b2c3d4e5f60718293a4b5c6d7e8f9";

/** Credentials, a kind in each line, each with the part that nobody may read. */
const kinds: readonly (readonly [kind: string, text: string, secret: string])[] = [
  ["OpenAI", `key sk-proj-${letters}`, letters],
  ["Anthropic", `key sk-ant-api03-${letters}`, letters],
  ["OpenRouter", `key sk-or-v1-${letters}`, letters],
  ["xAI", `key xai-${letters}`, letters],
  ["Perplexity", `key pplx-${letters}`, letters],
  ["NVIDIA", `key nvapi-${letters}`, letters],
  ["Groq", `key gsk_${letters}`, letters],
  ["Hugging Face", `key hf_${letters}`, letters],
  ["Replicate", `key r8_${letters}`, letters],
  ["GitHub", `key ghp_${letters}`, letters],
  ["GitHub, fine-grained", `key github_pat_${letters}`, letters],
  ["GitHub, of an app", `key ghs_${letters}`, letters],
  ["GitLab", `key glpat-${letters}`, letters],
  ["GitLab, of a runner", `key glrt-${letters}`, letters],
  ["npm", `key npm_${letters}`, letters],
  ["PyPI", `key pypi-${letters}`, letters],
  ["Docker Hub", `key dckr_pat_${letters}`, letters],
  ["Slack, of a bot", `key xoxb-1234-${letters}`, letters],
  ["Slack, of an app", `key xapp-1-${letters}`, letters],
  ["Stripe", `key sk_live_${letters}`, letters],
  ["Stripe, restricted", `key rk_live_${letters}`, letters],
  ["Stripe, of a webhook", `key whsec_${letters}`, letters],
  ["AWS, an id", "key AKIAZQ7ABCDEFGHIJKLM", "ZQ7ABCDEFGHIJKLM"],
  ["AWS, a secret", `AWS_SECRET_ACCESS_KEY=${letters.slice(0, 40)}`, letters.slice(0, 40)],
  ["Google", `key AIza${letters}`, letters],
  ["Google, OAuth", `key ya29.${letters}`, letters],
  ["Google, a client", `key GOCSPX-${letters}`, letters],
  ["Google, a refresh token", `key 1//0${letters}`, letters],
  ["Vault", `key hvs.${letters}`, letters],
  ["SendGrid", `key SG.${letters.slice(0, 22)}.${letters}`, letters.slice(0, 22)],
  ["crates.io", `key cio${letters.slice(0, 32)}`, letters.slice(0, 32)],
  ["a JSON Web Token", `key eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${letters}`, letters],
  ["Shopify", `key shpat_${letters}`, letters],
  ["Linear", `key lin_api_${letters}`, letters],
  ["DigitalOcean", `key dop_v1_${letters}`, letters],
  ["Telegram", `key 1234567890:AA${letters.slice(0, 33)}`, letters.slice(0, 33)],
  ["Discord, of a bot", `key MTIzNDU2Nzg5MDEyMzQ1Njc4.GaBcDe.${letters.slice(0, 38)}`, letters.slice(0, 38)],
  ["Twilio", `key SK${hex}`, hex],
  ["Mailgun", `key key-${hex}`, hex],
  ["Databricks", `key dapi${hex}`, hex],
  ["Terraform Cloud", `key ${letters.slice(0, 14)}.atlasv1.${letters}${letters}`, "atlasv1.Zq7"],
  ["Doppler", `key dp.pt.${letters}`, letters],
  ["Notion", `key ntn_${letters}`, letters],
  ["Airtable", `key pat${letters.slice(0, 14)}.${hex}${hex}`, hex],
  ["Figma", `key figd_${letters}`, letters],
  ["Postman", `key PMAK-${hex.slice(0, 24)}-${hex}ab`, hex],
  ["New Relic", "key NRAK-ZQ7ABCDEFGHIJKLMNOPQRSTUVWX", "ZQ7ABCDEFGHIJKLMNOPQRSTUVWX"],
  ["Grafana", `key glsa_${letters}`, letters],
  ["Sentry", `key sntrys_${letters}`, letters],
  ["PlanetScale", `key pscale_tkn_${letters}`, letters],
  ["Supabase", `key sbp_${hex}`, hex],
  ["Fly", `key fm2_${letters}`, letters],
  ["Tailscale", `key tskey-auth-${letters}`, letters],
  ["Atlassian", `key ATATT3${letters}`, letters],
  ["age", "key AGE-SECRET-KEY-1ZQ7ABCDEFGHIJKLMNOPQRSTUVWXYZ", "ZQ7ABCDEFGHIJKLMNOPQRSTUVWXYZ"],
  ["PuTTY", `PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n${letters}\nPrivate-MAC: ab`, letters],
  ["a private key", `-----BEGIN PRIVATE KEY-----\n${letters}\n-----END PRIVATE KEY-----`, letters],
  ["a private key of OpenSSH", `-----BEGIN OPENSSH PRIVATE KEY-----\n${letters}`, letters],
  ["a private key of PGP", `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${letters}\n-----END`, letters],
  ["WireGuard", `PrivateKey = ${letters.slice(0, 43)}=`, letters.slice(0, 43)],
  ["a kubeconfig", `    client-key-data: ${letters}==`, letters],
  ["a header with Bearer", `Authorization: Bearer ${letters}`, letters],
  ["a header with Basic", "Authorization: Basic Zq7dXNlcjpwYXNz", "Zq7dXNlcjpwYXNz"],
  ["a header with Token", "authorization: Token Zq7abcdef", "Zq7abcdef"],
  ["a header with Digest", 'Authorization: Digest username="a", response="Zq7abcdef"', "Zq7abcdef"],
  ["a cookie", "Cookie: theme=dark; session=Zq7abcdef", "Zq7abcdef"],
  ["a cookie that is set", "Set-Cookie: session=Zq7abcdef; Path=/", "Zq7abcdef"],
  ["the user of an address", "https://me:Zq7pw@host/x", "Zq7pw"],
  ["a token in an address", "https://host/x?access_token=Zq7abcdef&a=1", "Zq7abcdef"],
  ["a signature of Azure", "https://a.blob.core.windows.net/b?sv=1&sig=Zq7abc%2Bdef", "Zq7abc"],
  ["a key of Azure's storage", `AccountName=a;AccountKey=${letters}==;EndpointSuffix=b`, letters],
  ["a connection string", "Server=db;User Id=sa;Password=Zq7pw12;Database=x", "Zq7pw12"],
  ["a .netrc", "machine host login me password Zq7pw", "Zq7pw"],
  ["a .pgpass", "db.host:5432:shop:me:Zq7pw12", "Zq7pw12"],
  ["an .npmrc", "//registry.example/:_authToken=Zq7abcdef", "Zq7abcdef"],
  ["Docker's config.json", '{"auths":{"x":{"auth":"Zq7dXNlcjpwYXNz"}}}', "Zq7dXNlcjpwYXNz"],
  ["a variable", "export DB_PASSWORD=Zq7pw12 x", "Zq7pw12"],
  ["a variable of a container", "docker run -e API_TOKEN=Zq7pw12 x", "Zq7pw12"],
  ["a webhook of Slack", "https://hooks.slack.com/services/T0/B0/Zq7abc", "Zq7abc"],
  ["a webhook of Discord", "https://discord.com/api/webhooks/1/Zq7abc", "Zq7abc"],
  ["docker login", "docker login -u me -p Zq7pw registry", "Zq7pw"],
  ["podman login", "podman login --password=Zq7pw registry", "Zq7pw"],
  ["az login", "az login --service-principal -u a -p 'Zq7 pw'", "Zq7 pw"],
  ["sshpass", "sshpass -p Zq7pw ssh me@host", "Zq7pw"],
  ["mysql", "mysql -u root -pZq7pw shop", "Zq7pw"],
  ["mysqldump", "mysqldump --password=Zq7pw shop", "Zq7pw"],
  ["psql", "PGPASSWORD=Zq7pw1 psql -h db", "Zq7pw1"],
  ["mongosh", "mongosh -u me -p Zq7pw", "Zq7pw"],
  ["sqlcmd", "sqlcmd -S db -U sa -P Zq7pw", "Zq7pw"],
  ["redis-cli", "redis-cli -h db -a Zq7pw ping", "Zq7pw"],
  ["ldapsearch", "ldapsearch -D cn=me -w Zq7pw", "Zq7pw"],
  ["htpasswd", "htpasswd -bn me Zq7pw", "Zq7pw"],
  ["openssl", "openssl rsa -in k.pem -passin pass:Zq7pw", "Zq7pw"],
  ["gpg", "gpg --batch --passphrase Zq7pw -d x", "Zq7pw"],
  ["zip", "zip -P Zq7pw a.zip b", "Zq7pw"],
  ["7z", "7z x -pZq7pw a.7z", "Zq7pw"],
  ["keytool", "keytool -list -storepass Zq7pw", "Zq7pw"],
  ["smbclient", "smbclient //h/s -U me%Zq7pw", "Zq7pw"],
  ["curl", "curl -u me:Zq7pw https://host", "Zq7pw"],
  ["wget", "wget --http-password=Zq7pw https://host", "Zq7pw"],
];

describe("the one list of credentials", () => {
  it("has at least 77 kinds", () => assert.ok(kinds.length >= 77, String(kinds.length)));

  for (const [kind, text, secret] of kinds) {
    it(`masks ${kind} in a trace, in a kept conversation and in a hand-off`, () => {
      const secrets = new KnownSecrets();
      const line = JSON.stringify({ at: 1, update: { text: `before\n${text}\nafter` } });
      const kept = maskedLines(`${line}\n`, (one) => secrets.mask(one));
      const written = {
        trace: JSON.stringify(redactParams({ text }, secrets)),
        kept,
        handOff: redactText(text),
      };
      for (const [where, masked] of Object.entries(written)) {
        assert.equal(masked.includes(secret), false, `${where}: ${masked}`);
        assert.ok(masked.includes("[redacted"), `${where}: ${masked}`);
      }
      assert.equal(maskCredentials(maskCredentials(text)), maskCredentials(text));
    });
  }

  it("masks tokens wherever they start, and in the middle of other words' characters", () => {
    const tokens = kinds.filter(([, text]) => /^key \S+$/.test(text)).map(([, text]) => text.slice(4));
    assert.ok(tokens.length > 50, String(tokens.length));
    for (const token of tokens) {
      const masked = maskCredentials(token);
      for (let offset = 0; offset < 30; offset++) {
        for (const before of ["", "=", "a/", "long-word,"]) {
          const around = [
            `${"é ".repeat(offset)}${"x".repeat(offset % 13)} ${before}`,
            ` ${"y".repeat(offset)}`,
          ] as const;
          assert.equal(maskCredentials(around.join(token)), around.join(masked), `${token} after ${offset}`);
        }
      }
    }
  });

  it("masks a word of a program that is given without a shell", () => {
    assert.deepEqual(
      maskWords(["docker", "login", "-u", "me", "-p", "Zq7pw", "host"]).join(" "),
      "docker login -u me -p [redacted] host",
    );
    const words = { command: ["mysql", "-pZq7pw", "shop"] };
    assert.doesNotMatch(JSON.stringify(redactParams(words, new KnownSecrets())), /Zq7/);
  });

  const plain = [
    ...[
      "docker run -p 8080:80 image",
      "mkdir -p a/b && mysql --version",
      "zip -r a.zip b",
      "curl -u 1000:1000 x",
      "7z x a.7z",
    ],
    ...[
      "ssh://git@github.com/a/b.git",
      "git@github.com:a/b.git",
      "const token = readToken();",
      "password: string;",
      "key-value",
    ],
    ...[
      "API_KEY=os.getenv('X')",
      "TOKEN=$(cat x)",
      "the Password = field",
      "sqlcmd -S db -U sa",
      "sk-learn is a package",
    ],
    ...[
      "src/a.ts:12:5:note:x",
      "10:20:30:40:50",
      "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
      "https://host/x?code=1&page=2",
    ],
    ...[
      "redis-cli -h db ping",
      "gpg --verify x",
      "openssl version",
      "if (password === undefined) return;",
      "keytool -list",
    ],
  ];
  for (const text of plain) {
    it(`leaves ${JSON.stringify(text)} as it is`, () => assert.equal(maskCredentials(text), text));
  }
});
