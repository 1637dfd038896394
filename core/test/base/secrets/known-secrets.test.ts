import assert from "node:assert/strict";
import { KnownSecrets } from "../../../src/base/secrets/known-secrets.js";

const secret = 'p"q/ä\\Zq7 end';

function knowing(variables: Readonly<Record<string, string>>): KnownSecrets {
  const secrets = new KnownSecrets();
  secrets.learn(variables);
  return secrets;
}

describe("KnownSecrets", () => {
  it("masks a value wherever it is repeated, as it is and as JSON and addresses spell it", () => {
    const secrets = knowing({ MY_API_KEY: secret });
    const once = JSON.stringify(secret);
    const spellings = [`my key is ${secret}!`, once, JSON.stringify(once), `?k=${encodeURIComponent(secret)}&v=1`];
    assert.deepEqual(
      spellings.map((text) => secrets.mask(text)),
      ["my key is [redacted]!", '"[redacted]"', '"\\"[redacted]\\""', "?k=[redacted]&v=1"],
    );
  });

  it("masks the whole of a value that begins like another one", () => {
    const secrets = knowing({ A_TOKEN: "Zq7-short", B_TOKEN: "Zq7-short-and-longer" });
    assert.equal(secrets.mask("Zq7-short-and-longer Zq7-short"), "[redacted] [redacted]");
  });

  it("knows a variable for a key by its name and its value, which is no word", () => {
    const secrets = knowing({ OPENAI_KEY: "Zq7-openai", SORT_KEY: "created_at", X_KEY: "1" });
    assert.equal(secrets.mask("1 created_at Zq7-openai"), "1 created_at [redacted]");
  });

  it("learns from the variables and headers of a message, in every form", () => {
    const secrets = new KnownSecrets();
    secrets.learnFrom({
      params: {
        mcpServers: [
          { env: [{ name: "DB_PASSWORD", value: "first-one" }], headers: { Authorization: "Bearer second-one" } },
          { env: ["SOME_SECRET=third-one"], httpHeaders: ["X-Api-Key: fourth-one"] },
        ],
      },
    });
    assert.equal(
      secrets.mask("first-one second-one third-one fourth-one fifth-one"),
      "[redacted] [redacted] [redacted] [redacted] fifth-one",
    );
  });

  it("leaves alone what is no credential: other names, short words, numbers, places and placeholders", () => {
    const variables = {
      HOME: "/home/somebody",
      API_KEY: "short",
      MAX_TOKENS: "100000000",
      TOKEN_FILE: "/run/token-file",
      TOKEN_PROVIDER: "anthropic",
      CREDENTIAL_STORE: "keychain",
      SECRET: "${SOME_SECRET}",
      PASSWORD: "<your password>",
    };
    const text = Object.values(variables).join(" ");
    assert.equal(knowing(variables).mask(text), text);
  });

  it("takes no working folder of a shell, and no path of this machine, for a credential", () => {
    const secrets = new KnownSecrets({ isExistingPath: (text) => text === "/home/ann/project" });
    secrets.learn({
      PWD: "/remote/folder",
      OLDPWD: "/remote/other",
      pwd: "/home/ann/project",
      APP_PASSWORD: "/Zq7+base64==",
    });
    secrets.learnFrom({ env: [{ name: "PWD", value: "/remote/third" }] });
    const text = "/remote/folder /remote/other /remote/third /home/ann/project/src";
    assert.equal(secrets.mask(`${text} /Zq7+base64==`), `${text} [redacted]`);
  });

  it("says how long the longest one is", () => {
    assert.deepEqual([new KnownSecrets().maxTextLength, knowing({ KEY_TOKEN: "12345678x" }).maxTextLength], [0, 9]);
  });
});
