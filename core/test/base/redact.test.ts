import assert from "node:assert/strict";
import { redactText } from "../../src/base/redact.js";

describe("redactText", () => {
  const secrets: Record<string, string> = {
    "OPENAI_API_KEY=abc123 failed": "OPENAI_API_KEY=[redacted] failed",
    'error: {"apiKey": "abcd", "model": "x"}': 'error: {"apiKey": "[redacted]", "model": "x"}',
    "Authorization: Bearer abcdef123456.xyz": "Authorization: Bearer [redacted]",
    "Incorrect API key provided: sk-proj-abcdefghijklmnop": "Incorrect API key provided: [redacted]",
    "remote: ghp_0123456789abcdefghij denied": "remote: [redacted] denied",
    "GET https://user:pass@host/x?key=1a2b&token=t&v=1":
      "GET https://[redacted]@host/x?key=[redacted]&token=[redacted]&v=1",
    "run --api-key a1b2c3d4e5 --verbose": "run --api-key [redacted] --verbose",
    "password = 'hunter two' rejected": "password = '[redacted]' rejected",
    "x-api-key: 0123456789abcdef": "x-api-key: [redacted]",
    'it printed {\\"apiKey\\": \\"abcd\\", \\"model\\": \\"x\\"}':
      'it printed {\\"apiKey\\": \\"[redacted]\\", \\"model\\": \\"x\\"}',
    'twice \\\\\\"password\\\\\\":\\\\\\"a b\\\\\\"': 'twice \\\\\\"password\\\\\\":\\\\\\"[redacted]\\\\\\"',
    '{"secret": "a\\"b\\\\", "cookie": "c=1"} ok': '{"secret": "[redacted]", "cookie": "[redacted]"} ok',
    '\\"token\\": \\"a\\\\\\"b\\", \\"n\\": 1': '\\"token\\": \\"[redacted]\\", \\"n\\": 1',
    '"Authorization": "Digest abc"': '"Authorization": "[redacted]"',
    "pay with sk_live_0123456789abcdef": "pay with [redacted]",
    "cargo login cio0123456789abcdefghijABCDEFGHIJ01": "cargo login [redacted]",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----":
      "-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----",
    "Authorization: Token abcdef1234567890": "Authorization: Token [redacted]",
    "authorization: ApiKey abcdefgh": "authorization: ApiKey [redacted]",
    '-H "Authorization: Digest username=\\"me\\", response=1f" x': '-H "Authorization: Digest [redacted]',
    "PGPASSWORD=hunter2 psql": "PGPASSWORD=[redacted] psql",
    "UID=sa;PWD=hunter2": "UID=sa;PWD=[redacted]",
    "DB_PASS=s3cr3t DB_HOST=db": "DB_PASS=[redacted] DB_HOST=db",
    "SECRET_KEY_BASE=0f1e2d": "SECRET_KEY_BASE=[redacted]",
    '{"user":"me","pass":"hunter2"}': '{"user":"me","pass":"[redacted]"}',
    "export GITHUB_PAT=abcdef": "export GITHUB_PAT=[redacted]",
    "curl -u me:hunter2 https://host/x": "curl -u me:[redacted] https://host/x",
    "curl --user 'me:hunter two' https://host": "curl --user 'me:[redacted]' https://host",
    "curl https://host -ume:hunter2": "curl https://host -ume:[redacted]",
    "//registry.example/:_auth=bWU6aHVudGVyMg==": "//registry.example/:_auth=[redacted]",
    "//registry.example/:_password=aHVudGVyMg": "//registry.example/:_password=[redacted]",
    "machine host.example login me password hunter2": "machine host.example login me password [redacted]",
    "machine host.example\n  login me\n  password hunter2\nmachine b":
      "machine host.example\n  login me\n  password [redacted]\nmachine b",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQdGBF-x\n=aBcD\n-----END PGP PRIVATE KEY BLOCK-----":
      "-----BEGIN PGP PRIVATE KEY BLOCK-----[redacted]-----END PGP PRIVATE KEY BLOCK-----",
    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A\n\nMIIE\n-----END RSA PRIVATE KEY-----":
      "-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----",
    "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIE cut here": "-----BEGIN ENCRYPTED PRIVATE KEY-----[redacted]",
    "post to https://hooks.slack.com/services/T0/B0/abc.": "post to https://hooks.slack.com/[redacted]",
    "https://discord.com/api/webhooks/123/abc-DEF ok": "https://discord.com/api/webhooks/[redacted] ok",
    "(https://me.webhook.office.com/webhookb2/a@b/IncomingWebhook/c/d)": "(https://me.webhook.office.com/[redacted])",
    "Cookie: theme=dark; session=abcdef12345": "Cookie: [redacted]",
    "Set-Cookie: id=a3f; Path=/; HttpOnly\nDate: now": "Set-Cookie: [redacted]\nDate: now",
    "cookie eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl": "cookie [redacted]",
  };
  for (const [text, expected] of Object.entries(secrets)) {
    it(`masks only the credential in ${JSON.stringify(text)}`, () => {
      assert.equal(redactText(text), expected);
      assert.equal(redactText(expected), expected);
    });
  }

  const errors = [
    "Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON",
    "SyntaxError: Unexpected token: } at line 3",
    "Error: missing API key: set OPENAI_API_KEY",
    "password: incorrect",
    "monkey=banana max_tokens=100 keyboard: us",
    "bearer authentication is required",
    "Authorization: required",
    "the Authorization: header is missing",
    "tests: pass=12 fail=0, pass: 12",
    '{"pass": 12, "fail": 1}',
    "bypass=yes compass: north, a pattern=x",
    "docker run -u 1000:1000 image; curl is there",
    "machine learning needs no password hunt",
    "Cookie: none was sent",
    "https://hooks.slack.com/ is the address",
    "PASSWORD_FILE=/run/x SECRET_NAME=db",
    "PWD=/home/me/shop OLDPWD=/home/me",
    '{"PWD": "C:\\\\shop"}',
    "option --token is required",
    "token=undefined",
    "npm error 404 Not Found - GET https://registry.example/x@1.0.0",
    "    at Object.<anonymous> (/home/me/agent/index.js:10:3)",
    'a path C:\\\\keys\\\\: "x"',
    '"token": "none", \\"password\\": \\"missing\\"',
    "commit 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
  ];
  for (const text of errors) {
    it(`leaves ${JSON.stringify(text)} as it is`, () => assert.equal(redactText(text), text));
  }

  it("stays linear on long input without spaces", () => {
    const escapes = '\\\\"key\\\\":\\\\"'.repeat(20_000) + "\\\\".repeat(200_000);
    assert.ok(redactText(escapes).length > 0);
    const text = "a_".repeat(200_000) + "=" + "key".repeat(100_000) + "https://".repeat(20_000);
    assert.ok(redactText(text).length > 0);
    const pieces = [
      "-----BEGIN PRIVATE KEY-----",
      "curl -u a:",
      "machine a login ",
      "cookie: a=",
      "authorization: digest a",
    ];
    for (const piece of pieces) assert.ok(redactText(piece.repeat(20_000)).length > 0);
  });
});
