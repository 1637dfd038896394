import assert from "node:assert/strict";
import { loadSecretRules } from "../../../src/base/secrets/node/secret-rules.js";
import { KnownSecrets } from "../../../src/base/secrets/known-secrets.js";
import { redactParams } from "../../../src/sessions/trace/redact-params.js";

/** Everything that an agent repeats, with the part of it that nobody else may read as Zq7…. */
const repeated: Readonly<Record<string, unknown>> = {
  "a token of a scheme": "curl -H 'Authorization: Token Zq7abcdef12345678' x",
  "a key of a scheme": "Authorization: ApiKey Zq7abcdefgh",
  "a variable of PostgreSQL": "PGPASSWORD=Zq7secret psql -h db",
  "a password of a database": "DB_PASS=Zq7pw",
  "a base of keys": "SECRET_KEY_BASE=Zq70123456789abcdef",
  "JSON in text": 'config: {"user":"a","pass":"Zq7hunter"}',
  "JSON in JSON": { config: { user: "a", pass: "Zq7hunter", db_pass: "Zq7other" } },
  "a personal token": "GITHUB_PAT=Zq7abcdef",
  "a password of curl": "curl -u user:Zq7pw1234 https://x",
  "a password of curl as a word": { args: ["curl", "-u", "user:Zq7pw1234"] },
  "a credential of npm": "//registry.example/:_auth=Zq7dXNlcjpwYXNz",
  "a line of netrc": "machine host login me password Zq7hunter2",
  "a PGP key": "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nZq7-lQdGBF\n-----END PGP PRIVATE KEY BLOCK-----",
  "an encrypted key": "-----BEGIN ENCRYPTED PRIVATE KEY-----\nZq7MIIE\n-----END ENCRYPTED PRIVATE KEY-----",
  "an encrypted key of old":
    "-----BEGIN RSA PRIVATE KEY-----\nDEK-Info: AES-128-CBC,0A\n\nZq7\n-----END RSA PRIVATE KEY-----",
  "a webhook of Slack": "https://hooks.slack.com/services/T0/B0/Zq7abcdefghijklmnopqrstu",
  "a webhook of Discord": "https://discord.com/api/webhooks/1/Zq7abc-def",
  "a webhook of Teams": "https://me.webhook.office.com/webhookb2/a@b/IncomingWebhook/Zq7/c",
  "a second cookie": "Cookie: theme=dark; session=Zq7abcdef",
  "a database's address": "mongodb+srv://me:Zq7pw@host/db",
  "a key of AWS": "aws_secret_access_key = Zq7lrXUtnFEMI/K7MDENG/bPxRfiCYabcdefghij",
  "a key of Anthropic": "it is sk-ant-api03-Zq7abcdefghijklmnopqrstuvwxyz",
};

describe("loadSecretRules", () => {
  for (const [what, value] of Object.entries(repeated)) {
    it(`together with names keeps ${what} out of a trace`, async () => {
      const secrets = new KnownSecrets({ find: await loadSecretRules() });
      const text = JSON.stringify(redactParams(value, secrets));
      assert.doesNotMatch(text, /Zq7/);
      assert.match(text, /\[redacted\]/);
    });
  }

  it("finds by its form what no name announces", async () => {
    const find = await loadSecretRules();
    const address = "https://hooks.slack.com/services/T00000000/B00000000/abcdefghijklmnopqrstuvwx";
    assert.deepEqual(find(`see ${address} there`), [[4, 4 + address.length]]);
    assert.deepEqual(find(`see ${address} there`), [[4, 4 + address.length]]);
    assert.deepEqual(find("an ordinary sentence, with src/a.ts and code(x) = 1;"), []);
  });

  it("is not switched off by the text", async () => {
    const find = await loadSecretRules();
    const address = "https://hooks.slack.com/services/T00000000/B00000000/abcdefghijklmnopqrstuvwx";
    assert.equal(find(`secretlint-disable\n${address}\n`).length, 1);
  });

  it("takes hostile text without end", async () => {
    const secrets = new KnownSecrets({ find: await loadSecretRules() });
    const pieces = [
      "a",
      "a_",
      "://",
      "a:",
      "-----BEGIN ",
      "mongodb://",
      "postgres://a:b",
      '"',
      "AWS_SECRET ",
      "eyJ",
      "xox",
      " ",
    ];
    for (const piece of pieces) redactParams({ text: piece.repeat(100_000) }, secrets);
  });
});
