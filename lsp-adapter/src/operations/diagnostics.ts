import {
  type DiagnosticsAnswer,
  type DiagnosticsParams,
  type FileDiagnostics,
  maxIdeItems,
  type OperationState,
  worstState,
  normalFileUri,
} from "@symposium-dev/core";
import { nobody } from "./ask-every-server.js";
import type { Check } from "./document-diagnostics.js";
import type { OperationContext } from "./operation-context.js";

const maxChecked = 200;
/** Maximum number of documents that are checked at the same time. */
const atOnce = 8;

/**
 * Returns the diagnostics of one document, or of all documents that the servers have open or that were edited. Checks each again; lists
 * those that time out as pending.
 */
export async function diagnostics(
  context: OperationContext,
  params: DiagnosticsParams,
  signal: AbortSignal,
): Promise<DiagnosticsAnswer> {
  const documents = context.diagnostics;
  const since = documents.revisionOf(params.since);
  const known =
    params.uri === undefined
      ? await knownUris(context, params.documents)
      : { uris: [normalFileUri(params.uri)], states: [] };
  const { uris } = known;
  const checks = await checkAll(context, uris.slice(0, maxChecked), signal);
  const files: FileDiagnostics[] = [];
  const pending = uris.slice(maxChecked);
  for (const [uri, check] of checks) {
    if (check.kind === "pending") pending.push(uri);
    if (check.kind === "checked" && check.revision > since) files.push({ uri, diagnostics: check.diagnostics });
  }
  const isAboutAll = params.uri === undefined;
  const states = [...checks.values()]
    .filter(({ kind }) => !isAboutAll || kind !== "unavailable")
    .map(({ state }) => state);
  return {
    state: worstState([...known.states, ...states]),
    files: files.sort((a, b) => (a.uri < b.uri ? -1 : 1)).slice(0, maxIdeItems),
    pending,
    cursor: documents.cursor,
  };
}

interface KnownUris {
  readonly uris: string[];
  /** States of languages without a server. */
  readonly states: readonly OperationState[];
}

/** Returns existing documents that servers have open or that were edited or checked before, limited to the languages of `documents`. */
async function knownUris(
  { workspace, view, diagnostics: checked }: OperationContext,
  documents: readonly string[] | undefined,
): Promise<KnownUris> {
  await workspace.follow();
  const wanted = documents && new Set(documents.map((uri) => workspace.definitionFor(uri)));
  const asked = workspace.servers.filter(({ definition }) => wanted?.has(definition) !== false);
  let running = asked.map((server) => server.running).filter((one) => one !== undefined);
  let states: readonly OperationState[] = [];
  if (running.length === 0) {
    const first = await workspace.serversOfLanguages(documents);
    const opened = await Promise.all(first.map(({ uri }) => workspace.open(view, uri)));
    running = opened.filter((one) => one !== undefined && "documents" in one);
    states = opened.filter((one) => one !== undefined && "kind" in one);
    if (first.length === 0) states = [nobody(workspace.folder)];
  }
  const edited = workspace.edited.filter((uri) => workspace.serverFor(uri) !== undefined);
  const all = new Set([
    ...running.flatMap(({ documents }) => documents.uris),
    ...checked.known,
    ...view.unsaved.keys(),
    ...edited,
  ]);
  for (const uri of [...all]) {
    const isWanted = wanted?.has(workspace.definitionFor(uri)) !== false;
    if (isWanted && view.textOf(uri) !== undefined) continue;
    all.delete(uri);
    if (isWanted) checked.forget(uri);
  }
  return { uris: [...all].sort(), states };
}

async function checkAll(
  context: OperationContext,
  uris: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Check>> {
  const checks = new Map<string, Check>();
  const waiting = [...uris];
  const work = async (): Promise<void> => {
    for (let uri = waiting.shift(); uri !== undefined; uri = waiting.shift()) {
      checks.set(uri, await context.diagnostics.check(context, uri, signal));
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, uris.length) }, work));
  return checks;
}
