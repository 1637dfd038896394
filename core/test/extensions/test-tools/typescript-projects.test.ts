import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Logger } from "../../../src/base/logger.js";
import { Watchdog } from "../../../src/base/node/orphan-watchdog.js";
import { testServices } from "../../../src/extensions/test-tools/node.js";
import { testsProxy } from "../../../src/extensions/test-tools/tests-proxy.js";
import { Json } from "../../../src/base/rpc/json.js";
import { nobody } from "../../../src/base/rpc/peer.js";
import { trusting } from "../../../testing/scripted-client.js";

const repository = join(import.meta.dirname, "../../../../..");
const project = (options: object, more: object = {}): string =>
  JSON.stringify({ compilerOptions: { strict: true, types: [], ...options }, ...more });
const composite = { composite: true, rootDir: "src", outDir: "dist" };

describe("projects of TypeScript that refer to one another", function () {
  this.timeout(300_000);
  let folder: string;

  beforeEach(async () => (folder = await realpath(await mkdtemp(join(tmpdir(), "typescript-projects-")))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function check(files: Readonly<Record<string, string>>): Promise<string> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    await mkdir(join(folder, "node_modules/@shop"), { recursive: true });
    await symlink(join(repository, "node_modules/typescript"), join(folder, "node_modules/typescript"), "junction");
    await symlink(join(folder, "packages/prices"), join(folder, "node_modules/@shop/prices"), "junction");
    using watchdog = new Watchdog();
    const chain = { client: nobody, successor: nobody, logger: Logger.silent };
    const handlers = testsProxy({}, testServices({ watchdog, reporters: {} }), trusting(), "1").connect(chain);
    const { signal } = new AbortController();
    const [server] = handlers.mcpServers?.({ sessionId: undefined, cwd: folder, signal }) ?? [];
    const call = Json.of({ name: "check", arguments: {} });
    const { json } = (await server?.call("tools/call", call, { signal, notify: () => undefined })) ?? {};
    await handlers[Symbol.asyncDispose]?.();
    const [block] = (json?.object?.["content"] ?? []) as readonly { readonly text: string }[];
    return block?.text ?? "";
  }

  it("are checked as `tsc --build` does, each once, with packages that are not built, and nothing is written", async () => {
    const text = await check({
      "package.json": "{}",
      "tsconfig.json": `{ // all
        "files": [], "references": [{ "path": "packages/till" }, { "path": "packages/prices" },] }`,
      "packages/prices/package.json": `{ "name": "@shop/prices", "version": "1.0.0", "types": "dist/index.d.ts" }`,
      "packages/prices/tsconfig.json": project(composite, { include: ["src"] }),
      "packages/prices/src/index.ts": "export const price: number = 7;\n",
      "packages/prices/src/old.ts": "export const old: number = 'none';\n",
      "packages/till/package.json": `{ "name": "@shop/till", "version": "1.0.0" }`,
      "packages/till/tsconfig.json": project(
        { ...composite, module: "nodenext", paths: { "#own": ["./src/own.ts"] } },
        { include: ["src"], references: [{ path: "../prices" }] },
      ),
      "packages/till/src/own.ts": "export const own = 1;\n",
      "packages/till/src/main.ts": `import { own } from "#own";
import { price } from "@shop/prices";
export const shown: string = price + own;
`,
    });
    assert.equal(
      text,
      [
        "tsc: 2 errors [t1]",
        "packages/prices/src/old.ts",
        "1:14 TS2322 Type 'string' is not assignable to type 'number'.",
        "packages/till/src/main.ts",
        "3:14 TS2322 Type 'number' is not assignable to type 'string'.",
      ].join("\n"),
    );
    const written = (await readdir(folder, { recursive: true })).filter((name) => /dist|tsbuildinfo/.test(name));
    assert.deepEqual(
      written.filter((name) => !name.includes("node_modules")),
      [],
    );
  });

  it("come to an end where they refer to one another in a circle, or to what is not there", async () => {
    const text = await check({
      "package.json": "{}",
      "tsconfig.json": project({}, { include: ["a.ts"], references: [{ path: "packages/prices" }, { path: "gone" }] }),
      "a.ts": "export const a: string = 1;\n",
      "packages/prices/tsconfig.json": project(
        { composite: true },
        { include: ["*.ts"], references: [{ path: "../.." }] },
      ),
      "packages/prices/b.ts": "export const b = 1;\n",
    });
    assert.match(text, /^tsc: 2 errors/);
    assert.match(text, /TS\d+ .*gone/);
    assert.match(text, /a\.ts\n1:14 TS2322/);
  });
});
