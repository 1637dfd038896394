import assert from "node:assert/strict";
import { strangeContents } from "./support/strange-contents.mjs";

const contents = (text, path = "bin/a.mjs") => new Map([[path, Buffer.from(text)]]);

describe("what has no place in a package", () => {
  it("is nothing of what a command consists of", () => {
    const text =
      'const uri = "file:///project"; open("/$bunfs/root/a"); "~/.symposium"; "/usr/bin"; class="sk-border-mode";';
    for (const path of ["bin/chunks/test-runner.mjs", "LICENSE", "dist/webview/chat.css", "media/icon.png"]) {
      assert.deepEqual(strangeContents(contents(text, path)), []);
    }
  });

  const files = [
    ...[
      "src/main.ts",
      "bin/a.d.ts",
      "bin/a.mjs.map",
      "test/a.mjs",
      "bin/a.test.js",
      ".env",
      ".env.local",
      "node_modules/a/b.js",
    ],
    ...["tsconfig.json", "keys/release.pem", ".npmrc", "bin/.git/HEAD"],
  ];
  for (const path of files) {
    it(`is the file ${path}`, () => {
      assert.deepEqual(strangeContents(contents("", path)), [`${path} has no place there.`]);
    });
  }

  const texts = {
    "a path of somebody's machine: /home/me/project/a.mjs": 'from "/home/me/project/a.mjs"',
    "a path of somebody's machine: /work/symposium": "file:///work/symposium",
    "a path of somebody's machine: /root/.npm": "at /root/.npm",
    "a path of somebody's machine: /Users/me/a": "(/Users/me/a)",
    "a path of somebody's machine: C:\\\\Users\\\\me": '"C:\\\\Users\\\\me"',
    "a link to a source map: //# sourceMappingURL=a.js.map": "//# sourceMappingURL=a.js.map",
    "a private key: -----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA":
      "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA",
    [`a token: ghp_${"a1".repeat(18)}`]: `token=ghp_${"a1".repeat(18)}`,
    [`a token: npm_${"B2".repeat(18)}`]: `//registry/:_authToken=npm_${"B2".repeat(18)}`,
    [`a token: sk-ant-${"aB3-".repeat(10)}x`]: `"sk-ant-${"aB3-".repeat(10)}x"`,
    [`a token: AKIA${"A1".repeat(8)}`]: `AKIA${"A1".repeat(8)}`,
  };
  for (const [found, text] of Object.entries(texts)) {
    it(`is ${JSON.stringify(found).slice(1, -1)}`, () => {
      assert.deepEqual(strangeContents(contents(text)), [`bin/a.mjs has ${found}`]);
    });
  }

  it("is what the machine keeps to itself, which is not repeated", () => {
    const secrets = ["hunter2-hunter2"];
    assert.deepEqual(strangeContents(contents("password: hunter2-hunter2"), { secrets }), [
      "bin/a.mjs has what this machine keeps to itself.",
    ]);
  });

  it("is in an executable only what its makers did not have in their own program", () => {
    const runtime = Buffer.from("built in /home/maker/runtime");
    const program = contents("built in /home/maker/runtime; then /home/me/project", "symposium-acp-agent");
    assert.deepEqual(strangeContents(program, { runtime }), [
      "symposium-acp-agent has a path of somebody's machine: /home/me/project",
    ]);
  });
});
