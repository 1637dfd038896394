import { type IdeOperationHandlers, operationsOf } from "../../../src/base/ide-operations/ide-operations.js";
import type { LanguageServers, ServerFinding } from "../../../src/base/ide-operations/lsp-adapter-module.js";
import { type OperationState, ready } from "../../../src/base/ide-operations/operation-state.js";
import type { IdeParams, IdeResult } from "../../../src/base/ide-operations/operation-types.js";
import { type IdeOperationName, ideOperationNames } from "../../../src/base/ide-operations/wire.js";
import { OperationsWithFallback } from "../../../src/extensions/ide-operations/fallback/operations-with-fallback.js";

export const unserved: OperationState = {
  kind: "degraded",
  reason: 'No extension serves "rust".',
  isUnserved: true,
};
export const byOwn: OperationState = { ...ready, by: ["rust-analyzer"] };
export const place = { uri: "file:///w/a.rs", position: { line: 0, character: 3 } };
export const range = { start: place.position, end: { line: 0, character: 7 } };

/** One page that is the whole list. */
export function page<T>(
  items: readonly T[],
  state = ready,
): Promise<{ state: OperationState; items: readonly T[]; total: number }> {
  return Promise.resolve({ state, items, total: items.length });
}

/** An editor and language servers of our own that answer what a test says, and what each of them is asked. */
export class FallbackStage {
  /** As `editor hover` or `own hover {…}`; what is asked to know the editor's texts and languages is left out. */
  readonly log: string[] = [];
  /** The editor's unsaved texts by URI. */
  readonly unsaved = new Map<string, string>();
  editor: IdeOperationHandlers = {};
  own: IdeOperationHandlers = {};
  /** A document of each language of the folder, with what the editor says of the language. */
  languages: Readonly<Record<string, OperationState>> = { [place.uri]: unserved };
  finding: ServerFinding = { kind: "found", name: "rust-analyzer" };
  open: () => Promise<LanguageServers> = () => Promise.resolve(this.servers);
  readonly operations = new OperationsWithFallback(
    {
      supported: new Set(ideOperationNames.filter((name) => name !== "setDocument")),
      run: (name, params, signal) => {
        if (!["openFiles", "readDocument", "status"].includes(name)) this.log.push(`editor ${name}`);
        return operationsOf({ ...this.#window(), ...this.editor }).run(name, params, signal);
      },
    },
    () => {
      this.log.push("open");
      return this.open();
    },
  );

  get servers(): LanguageServers {
    return {
      supported: new Set(ideOperationNames),
      run: (name, params, signal) => {
        this.log.push(name === "setDocument" ? `own shows ${JSON.stringify(params)}` : `own ${name}`);
        return operationsOf({ setDocument: () => Promise.resolve({ state: ready }), ...this.own }).run(
          name,
          params,
          signal,
        );
      },
      findServer: () => Promise.resolve(this.finding),
      [Symbol.asyncDispose]: () => Promise.resolve(void this.log.push("close")),
    };
  }

  ask<N extends IdeOperationName>(
    name: N,
    params: IdeParams<N>,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<IdeResult<N>> {
    return this.operations.run(name, params, signal);
  }

  /** Returns the log since the last call. */
  takeLog(): readonly string[] {
    return this.log.splice(0);
  }

  #window(): IdeOperationHandlers {
    const files = [...this.unsaved.keys()].map((uri) => ({ uri, isActive: false, isUnsaved: true }));
    return {
      openFiles: () => Promise.resolve({ state: ready, files }),
      readDocument: ({ uri }) => Promise.resolve({ state: ready, text: this.unsaved.get(uri) ?? null }),
      status: () => {
        const servers = Object.entries(this.languages).map(([uri, state]) => ({ name: "a language", state, uri }));
        return Promise.resolve({ state: ready, servers });
      },
    };
  }
}
