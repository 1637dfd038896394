import assert from "node:assert/strict";
import fc from "fast-check";
import { redactParams } from "../../../src/sessions/trace/redact-params.js";

const mask = "[redacted]";

/** Every position in which a credential is known to travel. */
const positions: readonly ((secret: string) => unknown)[] = [
  (secret) => ({ authorization: secret }),
  (secret) => ({ Authorization: { scheme: "Basic", value: secret } }),
  (secret) => ({ API_KEY: secret }),
  (secret) => ({ "x-api-key": secret }),
  (secret) => ({ apiKey: [secret] }),
  (secret) => ({ accessToken: secret }),
  (secret) => ({ client_secret: secret }),
  (secret) => ({ dbPassword: secret }),
  (secret) => ({ "Set-Cookie": secret }),
  (secret) => ({ credentials: { user: "u", deep: [{ value: secret }] } }),
  (secret) => ({ env: [{ name: "HOME", value: secret }] }),
  (secret) => ({ env: [{ name: "HOME", value: secret, extra: { nested: secret } }] }),
  (secret) => ({ env: { HOME: secret } }),
  (secret) => ({ env: [`HOME=${secret}`] }),
  (secret) => ({ env: secret }),
  (secret) => ({ env: [["HOME", secret]] }),
  (secret) => ({ headers: [{ name: "X-Anything", value: secret }] }),
  (secret) => ({ headers: { "X-Anything": secret } }),
  (secret) => ({ httpHeaders: { nested: { deeper: [secret] } } }),
  (secret) => [{ name: "GITHUB_TOKEN", value: secret }],
  (secret) => ({ args: ["--api-key", secret] }),
  (secret) => ({ args: [`--auth-token=${secret}`] }),
  (secret) => ({ args: ["-e", `DB_PASSWORD=${secret}`] }),
  (secret) => ({ args: ["-H", `Authorization: Bearer ${secret}`] }),
  (secret) => ({ url: `https://${secret}@host.example/path` }),
  (secret) => ({ url: `https://user:${secret}@host.example/path` }),
  (secret) => ({ url: `https://user:p@'${secret}@host.example/path` }),
  (secret) => ({ url: `https://host.example/path?a=1&access_token=${secret}&b=2` }),
  (secret) => ({ url: `https://host.example/path?X-Amz-Signature=${secret}` }),
  (secret) => ({ url: `https://host.example/path?api%5Fkey=${secret}` }),
  (secret) => ({ url: `https://host.example/cb#id_token=${secret}` }),
  (secret) => ({ text: `the key is sk-${secret}, keep it` }),
  (secret) => ({ text: `push with ghp_${secret}` }),
  (secret) => ({ text: `I read ${JSON.stringify({ apiKey: secret, model: "x" })} there` }),
  (secret) => ({ text: `I read ${JSON.stringify(JSON.stringify({ password: secret }))} there` }),
  (secret) => ({ text: `curl -H ${JSON.stringify({ authorization: secret })}` }),
];

const secrets = fc.stringMatching(/^[A-Za-z0-9]{24,40}$/).map((text) => `Zq7${text}`);

describe("redactParams", () => {
  for (const [number, place] of positions.entries()) {
    it(`never lets a secret through in ${JSON.stringify(place("SECRET"))}`, () => {
      assert.ok(number < positions.length);
      fc.assert(
        fc.property(
          secrets,
          fc.array(fc.constantFrom("params", "_meta", "0", "mcpServers"), { maxLength: 5 }),
          (secret, path) => {
            const value = path.reduce<unknown>(
              (inner, key) => (key === "0" ? [inner] : { [key]: inner }),
              place(secret),
            );
            assert.ok(!JSON.stringify(redactParams(value)).includes(secret));
          },
        ),
        { numRuns: 25 },
      );
    });
  }

  it("keeps the names, and what is no credential", () => {
    const value = {
      name: "server",
      command: "npx",
      args: ["-y", "pkg@1.0.0"],
      env: [{ name: "HOME", value: "/home/u" }],
      headers: { Accept: "text/plain" },
      url: "https://host.example/path?page=2&token=abc",
      usage: { inputTokens: 12, maxTokens: 100 },
      _meta: { progressToken: "p1" },
      auth: { terminal: true },
      password: null,
      pin: 7,
    };
    assert.deepEqual(redactParams(value), {
      ...value,
      env: [{ name: "HOME", value: mask }],
      headers: { Accept: mask },
      url: `https://host.example/path?page=2&token=${mask}`,
    });
  });

  it("keeps the working folder of a shell, and no password that is called PWD", () => {
    const folder = { PWD: "/shop", args: ["PWD=/shop"], text: "PWD=/shop npm test" };
    assert.deepEqual(redactParams(folder), folder);
    const password = { PWD: "hunter2", args: ["PWD=hunter2"], text: "UID=sa;PWD=hunter2" };
    assert.doesNotMatch(JSON.stringify(redactParams(password)), /hunter2/);
  });

  it("redacts numbers that are passwords", () => {
    assert.deepEqual(redactParams({ password: 1234 }), { password: mask });
  });

  it("does not change the value it is given", () => {
    const value = { env: [{ name: "A", value: "b" }], deep: { token: "t", list: ["--token", "t"] } };
    const before = structuredClone(value);
    redactParams(value);
    assert.deepEqual(value, before);
  });

  it("cuts long strings and says how long they were", () => {
    assert.deepEqual(redactParams(["a".repeat(4096), "b".repeat(4097)]), [
      "a".repeat(4096),
      `${"b".repeat(4096)}… [cut: 4,097 characters in all]`,
    ]);
  });

  it("never cuts a credential in two so that a part of it stays", () => {
    const token = `ghp_${"Zq7x".repeat(10)}`;
    for (let before = 4040; before < 4110; before += 7) {
      const cut = JSON.stringify(redactParams(`${"a ".repeat(before / 2)}${token}${" b".repeat(9000)}`));
      assert.doesNotMatch(cut, /Zq7/);
    }
    for (let offset = 0; offset < 45; offset++) {
      const many = JSON.stringify(redactParams("a".repeat(offset) + ` ${token}`.repeat(400)));
      assert.doesNotMatch(many, /Zq7/);
    }
  });

  it("gives the size of media in place of their bytes", () => {
    const data = "AAAA".repeat(1000);
    const value = [
      { type: "image", mimeType: "image/png", data },
      { type: "audio", mimeType: "audio/wav", data },
      { type: "resource", resource: { uri: "file:///x", blob: data } },
      { type: "text", data: "kept" },
    ];
    assert.deepEqual(redactParams(value), [
      { type: "image", mimeType: "image/png", data: "[3,000 bytes]" },
      { type: "audio", mimeType: "audio/wav", data: "[3,000 bytes]" },
      { type: "resource", resource: { uri: "file:///x", blob: "[3,000 bytes]" } },
      { type: "text", data: "kept" },
    ]);
  });

  it("survives values nested far too deep", () => {
    let value: unknown = "Zq7secret";
    for (let depth = 0; depth < 50_000; depth++) value = depth % 2 === 0 ? { env: value } : [value];
    const text = JSON.stringify(redactParams(value));
    assert.doesNotMatch(text, /Zq7/);
  });

  it("keeps a member called __proto__ a member", () => {
    const value: unknown = JSON.parse('{"__proto__":{"token":"x"},"a":1}');
    assert.equal(JSON.stringify(redactParams(value)), `{"__proto__":{"token":"${mask}"},"a":1}`);
  });
});
