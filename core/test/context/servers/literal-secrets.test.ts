import assert from "node:assert/strict";
import { withoutLiteralSecrets } from "../../../src/context/servers/literal-secrets.js";
import { loadSecretRules } from "../../../src/base/secrets/node/secret-rules.js";
import type { FindSecrets } from "../../../src/base/secrets/known-secrets.js";
import type { ServerLaunch } from "../../../src/settings/user-server.js";

/** In two parts, so that nobody takes this file for one that has a credential. */
const githubToken = ["ghp_", "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"].join("");
const random = "q7Zt2LmX9vBc4RkY8wNd1HsG5pJf";

describe("withoutLiteralSecrets", () => {
  let find: FindSecrets;
  before(async () => {
    find = await loadSecretRules();
  });

  /** The launch without its secrets, and these by name. */
  const moved = (launch: Partial<ServerLaunch>, taken: readonly string[] = []): readonly unknown[] => {
    const whole = { type: "stdio", command: "x", args: [], env: {}, ...launch } as ServerLaunch;
    const { server, secrets } = withoutLiteralSecrets({ name: "it", launch: whole }, find, new Set(taken));
    const { launch: changed } = server;
    const shown =
      changed.type === "stdio"
        ? { args: changed.args, env: changed.env }
        : { url: changed.url, headers: changed.headers };
    return [shown, Object.fromEntries(secrets.map(({ name, value }) => [name, value]))];
  };

  for (const [what, launch, expected, secrets] of [
    [
      "a variable whose name promises one",
      { env: { API_TOKEN: "s3cret-value", MODE: "fast" } },
      { args: [], env: { API_TOKEN: "${secret:it-API_TOKEN}", MODE: "fast" } },
      { "it-API_TOKEN": "s3cret-value" },
    ],
    [
      "a header with its scheme",
      { type: "http", url: "https://a.example", headers: { Authorization: "Bearer s3cret-value" } },
      { url: "https://a.example", headers: { Authorization: "Bearer ${secret:it-Authorization}" } },
      { "it-Authorization": "s3cret-value" },
    ],
    [
      "words of a command",
      {
        args: [
          "--api-key",
          "s3cret-one",
          "--token=s3cret-two",
          "--header",
          "Authorization: Bearer s3cret-three",
          "-e",
          "DB_PASSWORD=s3cret-four",
        ],
      },
      {
        args: [
          "--api-key",
          "${secret:it-api-key}",
          "--token=${secret:it-token}",
          "--header",
          "Authorization: Bearer ${secret:it-Authorization}",
          "-e",
          "DB_PASSWORD=${secret:it-DB_PASSWORD}",
        ],
        env: {},
      },
      {
        "it-api-key": "s3cret-one",
        "it-token": "s3cret-two",
        "it-Authorization": "s3cret-three",
        "it-DB_PASSWORD": "s3cret-four",
      },
    ],
    [
      "an address",
      { type: "http", url: "https://me:s3cret@a.example/mcp?api_key=s3cret-key&page=1", headers: {} },
      { url: "https://me:${secret:it-password}@a.example/mcp?api_key=${secret:it-api_key}&page=1", headers: {} },
      { "it-password": "s3cret", "it-api_key": "s3cret-key" },
    ],
    [
      "a form that an issuer gave it, under any name",
      { args: ["run", githubToken], env: { THING: githubToken } },
      { args: ["run", "${secret:it-1}"], env: { THING: "${secret:it-1}" } },
      { "it-1": githubToken },
    ],
    [
      "what nobody would write",
      { env: { THING: random } },
      { args: [], env: { THING: "${secret:it-THING}" } },
      { "it-THING": random },
    ],
  ] as const) {
    it(`finds ${what}`, () => {
      assert.deepEqual(moved(launch), [expected, secrets]);
    });
  }

  it("leaves what is none", () => {
    const launch = {
      args: ["--token-file", "/run/token", "@scope/package@1.2.3", "--max-tokens=4096"],
      env: {
        TOKEN: "${env:TOKEN}",
        PATH: "/usr/local/bin:/usr/bin:/opt/some/where/else/bin",
        KEY_FILE: "/home/me/.ssh/id_ed25519",
        MAX_TOKENS: "1000000000",
        PASSWORD: "<your password>",
        HOST: "a-very-long-name-of-some-host.internal.example",
        ID: "123e4567-e89b-12d3-a456-426614174000",
        API_URL: "https://api.example/v1",
      },
    };
    assert.deepEqual(moved(launch), [launch, {}]);
  });

  it("takes a name that nobody has, and one name for one value", () => {
    assert.deepEqual(moved({ env: { TOKEN: "s3cret-value", OLD_TOKEN: "s3cret-value" } }, ["it-TOKEN"]), [
      { args: [], env: { TOKEN: "${secret:it-TOKEN-2}", OLD_TOKEN: "${secret:it-TOKEN-2}" } },
      { "it-TOKEN-2": "s3cret-value" },
    ]);
  });
});
