import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { signatureProblems } from "../../../scripts/release/mach-o-signature.mjs";
import { product } from "../../../scripts/release/identity.mjs";
import { platforms } from "../../../scripts/release/platforms.mjs";
import { bunRuntime } from "../../../scripts/release/release-tools.mjs";
import { newFolder, unpackedExecutable, version } from "../support/artifacts.mjs";
import { executableHeader } from "../support/executable-header.mjs";
import { arm64Words, Unavailable, withMusl } from "../support/foreign-systems.mjs";
import { passesSuites } from "../support/suites.mjs";
import { withWine } from "../support/wine.mjs";

const limitMs = 800_000;
const isLinux = process.platform === "linux" && process.arch === "x64";
/** A text of the command's own that no runtime has. */
const ownText = "Known proxies: ";

const elf = (machine, loader) => ({ format: "ELF", machine, loader });
const machO = (machine) => ({ format: "Mach-O", machine, loader: "/usr/lib/dyld" });
// The signature of Bun's own program would be wrong here, and is gone.
const pe = (machine) => ({ format: "PE", machine, loader: undefined, subsystem: "console", certificateBytes: 0 });
const headers = {
  "darwin-arm64": machO("arm64"),
  "darwin-x64": machO("x64"),
  "linux-x64": elf("x64", "/lib64/ld-linux-x86-64.so.2"),
  "linux-arm64": elf("arm64", "/lib/ld-linux-aarch64.so.1"),
  "linux-x64-musl": elf("x64", "/lib/ld-musl-x86_64.so.1"),
  "linux-arm64-musl": elf("arm64", "/lib/ld-musl-aarch64.so.1"),
  "windows-x64": pe("x64"),
  "windows-arm64": pe("arm64"),
};

describe("the executables", function () {
  this.timeout(limitMs);

  it("are one for each platform of the table", () => {
    assert.deepEqual(Object.keys(headers).sort(), platforms.map(({ name }) => name).sort());
  });

  for (const row of platforms) {
    describe(`for ${row.name}`, () => {
      let file;
      before(async () => (file = await unpackedExecutable(row)));

      it("is made for its system and processor", async () => {
        assert.deepEqual(await executableHeader(file), headers[row.name]);
      });

      it("has the command in it", async () => {
        const runtime = await bunRuntime(row.bun.package);
        const hasOwnText = async (path) => (await readFile(path)).includes(ownText);
        assert.deepEqual([await hasOwnText(file), await hasOwnText(runtime)], [true, false]);
      });

      if (row.name.startsWith("darwin")) {
        it("is signed, every page of it", async () => {
          assert.deepEqual(signatureProblems(await readFile(file)), []);
        });
      }

      if (row.name === "linux-x64-musl") {
        it("does what the command does, with Debian's musl", async function () {
          await using system = await orSkip(this, () => withMusl(file));
          passesSuites(system.program);
        });
      }

      if (row.name === "windows-x64") {
        it("answers as an agent in Wine", async function () {
          await using wine = await orSkip(this, () => withWine(file));
          const said = await wine.run(["--version"]);
          assert.equal(said.stdout.trim(), `${product.command} ${version}`, said.stderr);
          const chat = await wine.run(["chat", "--agent", "eliza", "Hello"]);
          assert.deepEqual([chat.status, /\w/.test(chat.stdout)], [0, true], chat.stderr);
          const params = { protocolVersion: 1, clientCapabilities: {} };
          const request = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`;
          const { stdout, stderr } = await wine.run(["run-with", "--agent", "eliza"], request);
          assert.equal(JSON.parse(stdout.split("\n")[0] || "{}").result?.agentInfo.name, "eliza", stderr);
        });
      }

      if (row.name === "linux-arm64") {
        it("answers as an agent in an emulator of its processor", async function () {
          const words = [...(await orSkip(this, arm64Words)), file];
          const { stdout, stderr } = spawnSync(words[0], [...words.slice(1), "--version"], { encoding: "utf8" });
          assert.equal(stdout, `${product.command} ${version}\n`, stderr);
          assert.deepEqual(await promptEliza(words), { stopReason: "end_turn", hasText: true });
        });
      }
    });
  }

  /** Returns the result of `take`. Skips the test if it is unavailable, and prints the reason. */
  async function orSkip(context, take) {
    if (!isLinux) return context.skip();
    try {
      return await take();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      console.log(`        left out: ${error.message}`);
      return context.skip();
    }
  }

  /** How a whole prompt turn of Eliza ends, and whether she said something. */
  async function promptEliza([program, ...words]) {
    const folder = await newFolder("emulated");
    // The user's own conversations stay untouched.
    const env = { ...process.env, SYMPOSIUM_CONFIG_DIR: join(folder, "config") };
    const options = { env, stdio: ["pipe", "pipe", "inherit"] };
    const child = spawn(program, [...words, "run-with", "--agent", "eliza"], options);
    try {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      let hasText = false;
      let id = 0;
      const request = async (method, params) => {
        id++;
        child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
        for (;;) {
          const { value, done } = await lines.next();
          assert.ok(!done, `${method} has no answer`);
          const message = JSON.parse(value);
          if (message.method === "session/update") hasText ||= message.params.update.content?.text !== undefined;
          if (message.id === id && message.method === undefined) return message.result;
        }
      };
      await request("initialize", { protocolVersion: 1, clientCapabilities: {} });
      const { sessionId } = await request("session/new", { cwd: folder, mcpServers: [] });
      const prompt = [{ type: "text", text: "Hello" }];
      const { stopReason } = await request("session/prompt", { sessionId, prompt });
      return { stopReason, hasText };
    } finally {
      child.kill("SIGKILL");
    }
  }
});
