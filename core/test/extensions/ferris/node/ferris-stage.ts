import { cp, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CrateLocator } from "../../../../src/extensions/ferris/crates/crate-locator.js";
import { ferrisServer, parseFerrisOptions } from "../../../../src/extensions/ferris/ferris-server.js";
import { ferrisServices } from "../../../../src/extensions/ferris/node.js";
import type { FerrisServices } from "../../../../src/extensions/ferris/services.js";
import { Json } from "../../../../src/base/rpc/json.js";
import { trusting } from "../../../../testing/scripted-client.js";

/** A workspace with path dependencies: two versions of one crate, one of them direct; two of another, none direct. */
export const fixtureWorkspace = fileURLToPath(
  new URL("../../../../../../test/fixtures/ferris/workspace", import.meta.url),
);

/** A folder of its own for a test. */
export interface Folder extends AsyncDisposable {
  readonly path: string;
}

export async function emptyFolder(): Promise<Folder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "ferris-test-")));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** A copy of the fixture workspace that a test may change. */
export async function copiedWorkspace(): Promise<Folder> {
  const folder = await emptyFolder();
  await cp(fixtureWorkspace, folder.path, { recursive: true });
  return folder;
}

export interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

export type CallTool = (tool: string, args: Readonly<Record<string, unknown>>, signal?: AbortSignal) => Promise<Answer>;

/** The tools of Ferris for a session in `cwd`, with the real cargo unless other services are given. */
export function toolsIn(cwd: string, services: FerrisServices = ferrisServices(trusting())): CallTool {
  const never = new AbortController().signal;
  const server = ferrisServer({
    locator: new CrateLocator(services),
    options: parseFerrisOptions(undefined),
    session: { cwd, signal: never },
    version: "1.0.0",
  });
  return async (name, args, signal = never) => {
    const params = Json.of({ name, arguments: args });
    const outcome = await server.call("tools/call", params, { signal, notify: () => undefined });
    const { content, isError } = outcome.json.object ?? {};
    const text = Array.isArray(content) ? Json.of(content[0]).object?.["text"] : outcome.json.text;
    return { text: String(text), isError: outcome.isError || isError === true };
  };
}
