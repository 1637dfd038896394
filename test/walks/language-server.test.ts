import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { conductorWords } from "../support/conductor-command.js";
import type { JsonObject } from "../support/json.js";
import type { PinnedPackage } from "../support/packages/pinned-package.js";
import { usePackage } from "../support/packages/use-package.js";
import { RawClient } from "../support/raw-client.js";
import { pathWith } from "../support/repository.js";
import { createRunFolder } from "../support/run-folder.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs, until } from "../support/until.js";

const typescript: PinnedPackage = { package: "typescript", version: "7.0.2", command: "tsc", nodeMajor: 20 };

const project = {
  "package.json": '{ "name": "toy", "type": "module" }\n',
  "tsconfig.json": '{ "compilerOptions": { "strict": true, "module": "nodenext", "types": [] } }\n',
  "shapes.ts": "export function totalArea(sides: number[]): number {\n  return sides.length;\n}\n",
  "main.ts": 'import { totalArea } from "./shapes.js";\n\nexport const total = totalArea([1]) + totalArea([2]);\n',
};
/** The adapter stays for a moment, in case another session follows. */
const adapterGraceMs = 60_000;

describe("IDE operations without ACP", function () {
  this.timeout(scaledMs(120_000));
  const binFolder = usePackage(typescript);
  const scope = useTestScope();

  it("are tools of an MCP server for the folder that it is started in, and nothing of it stays", async function () {
    const folder = scope().use(await createRunFolder("ide-operations-mcp"));
    for (const [name, text] of Object.entries(project)) await writeFile(join(folder.workspace, name), text);
    const client = scope().use(
      new RawClient({
        words: [...conductorWords, "mcp", "ide-operations", "--trusted-folder", folder.workspace],
        env: { ...folder.env, PATH: pathWith(binFolder(this)) },
        cwd: folder.workspace,
      }),
    );
    const clientInfo = { name: "test", version: "1" };
    await client.request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    const listed = await client.request("tools/list");
    const call = async (name: string, args: JsonObject): Promise<string> =>
      (await client.request("tools/call", { name, arguments: args })).text;
    const answer = await until(
      () => call("find_references", { symbol: "totalArea" }),
      (text) => /\[ready\]/.test(text),
    );
    await client[Symbol.asyncDispose]();
    assert.match(answer, /totalArea \(shapes\.ts:1:17\): 2 uses in 1 file \[ready\]/);
    assert.deepEqual(
      [Buffer.byteLength(listed.text) <= 4096, [...(await survivingProcesses(folder.root, adapterGraceMs)).values()]],
      [true, []],
    );
  });
});
