import { messageOf } from "../../../base/symposium-error.js";
import type { IdeOperationHandlers, IdeOperations } from "../../../base/ide-operations/ide-operations.js";
import type { LanguageServers, ServerFinding } from "../../../base/ide-operations/lsp-adapter-module.js";
import { isUnserved, type OperationState } from "../../../base/ide-operations/operation-state.js";
import type {
  DiagnosticsAnswer,
  IdeParams,
  IdeResult,
  LanguageServerStatus,
  PageAnswer,
} from "../../../base/ide-operations/operation-types.js";
import type { SymbolItem } from "../../../base/ide-operations/symbol-item.js";
import type { IdeOperationName } from "../../../base/ide-operations/wire.js";
import { FallbackServers } from "./fallback-servers.js";
import {
  answeredBy,
  cursorsIn,
  type DocumentOperation,
  isEmpty,
  joinedDiagnostics,
  joinedPages,
  restOf,
  withReason,
} from "./joined-answers.js";

/** Documents in languages that only a local language server supports. */
interface Unserved {
  readonly documents: readonly string[];
  readonly servers: readonly string[];
  /** Reasons why the other languages have no server. */
  readonly missing: readonly string[];
}

const nobody: Unserved = { documents: [], servers: [], missing: [] };

/** Prefix of code action ids from Symposium's servers. */
const ownAction = "symposium:";

/**
 * Editor operations with local language servers as fallback for languages that the editor reports as unsupported. Asks the editor first
 * each time, so that a newly installed extension takes over. The editor applies all edits.
 */
export class OperationsWithFallback implements IdeOperations, AsyncDisposable {
  readonly #servers: FallbackServers;
  readonly #handlers: IdeOperationHandlers;

  /** `editor` must support the {@link unsavedTextOperations}. */
  constructor(
    private readonly editor: IdeOperations,
    open: () => Promise<LanguageServers>,
  ) {
    this.#servers = new FallbackServers({ editor, open });
    this.#handlers = {
      definition: this.#about("definition"),
      typeDefinition: this.#about("typeDefinition"),
      references: this.#about("references"),
      implementations: this.#about("implementations"),
      documentSymbols: this.#about("documentSymbols"),
      hover: this.#about("hover"),
      incomingCalls: this.#about("incomingCalls"),
      outgoingCalls: this.#about("outgoingCalls"),
      supertypes: this.#about("supertypes"),
      subtypes: this.#about("subtypes"),
      rename: this.#about("rename"),
      format: this.#about("format"),
      codeActions: (params, signal) => this.#codeActions(params, signal),
      resolveCodeAction: (params, signal) => this.#resolveCodeAction(params, signal),
      workspaceSymbols: (params, signal) => this.#workspaceSymbols(params, signal),
      diagnostics: (params, signal) =>
        params.uri === undefined
          ? this.#workspaceDiagnostics(params, signal)
          : this.#fileDiagnostics({ ...params, uri: params.uri }, signal),
      status: (params, signal) => this.#status(params, signal),
    };
  }

  get supported(): IdeOperations["supported"] {
    return this.editor.supported;
  }

  run<N extends IdeOperationName>(name: N, params: IdeParams<N>, signal: AbortSignal): Promise<IdeResult<N>> {
    const handler = this.supported.has(name) ? this.#handlers[name] : undefined;
    return handler ? handler(params, signal) : this.editor.run(name, params, signal);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#servers[Symbol.asyncDispose]();
  }

  #about<N extends DocumentOperation>(name: N) {
    return async (params: IdeParams<N>, signal: AbortSignal): Promise<IdeResult<N>> => {
      const answer = await this.editor.run(name, params, signal);
      if (!isUnserved(answer.state) || !isEmpty(answer)) return answer;
      const found = await this.#servers.find(params.uri, signal);
      if (found.kind === "found") return answeredBy(await this.#servers.run(name, params, signal), [found.name]);
      return found.kind === "unknown" ? answer : { ...answer, state: withReason(answer.state, found.reason) };
    };
  }

  /** Asks both, since extensions for all languages, such as spell checkers, add actions everywhere. */
  async #codeActions(params: IdeParams<"codeActions">, signal: AbortSignal): Promise<IdeResult<"codeActions">> {
    const answer = await this.editor.run("codeActions", params, signal);
    const unserved = isUnserved(answer.state) ? await this.#serversFor([params.uri], signal) : nobody;
    const nothing = { items: [], total: 0 };
    const own = await this.#partOf<IdeResult<"codeActions">>(answer, unserved, signal, nothing, async () => {
      const found = await this.#servers.run("codeActions", { ...params, ...restOf(params, answer) }, signal);
      return { ...found, items: found.items.map((action) => ({ ...action, id: ownAction + action.id })) };
    });
    return joinedPages(answer, own);
  }

  #resolveCodeAction(
    { id }: IdeParams<"resolveCodeAction">,
    signal: AbortSignal,
  ): Promise<IdeResult<"resolveCodeAction">> {
    if (!id.startsWith(ownAction)) return this.editor.run("resolveCodeAction", { id }, signal);
    return this.#servers.run("resolveCodeAction", { id: id.slice(ownAction.length) }, signal);
  }

  async #workspaceSymbols(
    params: IdeParams<"workspaceSymbols">,
    signal: AbortSignal,
  ): Promise<IdeResult<"workspaceSymbols">> {
    const [answer, unserved] = await Promise.all([
      this.editor.run("workspaceSymbols", params, signal),
      this.#unserved(signal),
    ]);
    const nothing = { items: [], total: 0 };
    const own = await this.#partOf<PageAnswer<SymbolItem>>(answer, unserved, signal, nothing, (documents) =>
      this.#servers.run("workspaceSymbols", { ...params, ...restOf(params, answer), documents }, signal),
    );
    return joinedPages(answer, own);
  }

  async #workspaceDiagnostics(
    { since }: IdeParams<"diagnostics">,
    signal: AbortSignal,
  ): Promise<IdeResult<"diagnostics">> {
    const cursors = cursorsIn(since);
    const [answer, unserved] = await Promise.all([
      this.editor.run("diagnostics", sinceCursor(cursors.editor), signal),
      this.#unserved(signal),
    ]);
    const nothing = { files: [], pending: [], cursor: cursors.other ?? "" };
    const own = await this.#partOf<DiagnosticsAnswer>(answer, unserved, signal, nothing, (documents) =>
      this.#servers.run("diagnostics", { documents, ...sinceCursor(cursors.other) }, signal),
    );
    return joinedDiagnostics(answer, own);
  }

  async #fileDiagnostics(
    { uri, since }: IdeParams<"diagnostics"> & { readonly uri: string },
    signal: AbortSignal,
  ): Promise<IdeResult<"diagnostics">> {
    const cursors = cursorsIn(since);
    const answer = await this.editor.run("diagnostics", { uri, ...sinceCursor(cursors.editor) }, signal);
    const unserved = isUnserved(answer.state) ? await this.#serversFor([uri], signal) : nobody;
    const nothing = { files: [], pending: [], cursor: cursors.other ?? "" };
    const own = await this.#partOf<DiagnosticsAnswer>(answer, unserved, signal, nothing, () =>
      this.#servers.run("diagnostics", { uri, ...sinceCursor(cursors.other) }, signal),
    );
    return joinedDiagnostics(answer, own);
  }

  async #status(params: IdeParams<"status">, signal: AbortSignal): Promise<IdeResult<"status">> {
    const answer = await this.editor.run("status", params, signal);
    if (!this.#servers.isUsed) return answer;
    try {
      const { servers } = await this.#servers.run("status", params, signal);
      return { ...answer, servers: [...answer.servers, ...servers] };
    } catch (fault) {
      if (signal.aborted) throw fault;
      const state: OperationState = { kind: "degraded", reason: messageOf(fault) };
      return { ...answer, servers: [...answer.servers, { name: "installed language servers", state }] };
    }
  }

  /** Returns the fallback servers' part of an answer. If they fail, the editor's part remains valid. */
  async #partOf<A extends { readonly state: OperationState }>(
    { state }: { readonly state: OperationState },
    { documents, servers, missing }: Unserved,
    signal: AbortSignal,
    nothing: Omit<A, "state">,
    ask: (documents: readonly string[]) => Promise<A>,
  ): Promise<A | (Omit<A, "state"> & { readonly state: OperationState })> {
    const [reason] = missing;
    if (documents.length === 0) return { ...nothing, state: reason === undefined ? state : withReason(state, reason) };
    try {
      return answeredBy(await ask(documents), servers);
    } catch (fault) {
      if (signal.aborted) throw fault;
      return { ...nothing, state: { kind: "degraded", reason: messageOf(fault), by: servers } };
    }
  }

  /** Finds the folder's languages that only a local language server supports. */
  async #unserved(signal: AbortSignal): Promise<Unserved> {
    if (!this.supported.has("status")) return nobody;
    try {
      const { servers } = await this.editor.run("status", {}, signal);
      const unserved = servers.filter(({ state }) => isUnserved(state));
      return await this.#serversFor(
        unserved.flatMap(({ uri }: LanguageServerStatus) => uri ?? []),
        signal,
      );
    } catch (fault) {
      if (signal.aborted) throw fault;
      return nobody;
    }
  }

  async #serversFor(uris: readonly string[], signal: AbortSignal): Promise<Unserved> {
    const find = async (uri: string): Promise<ServerFinding> => {
      try {
        return await this.#servers.find(uri, signal);
      } catch (fault) {
        if (signal.aborted) throw fault;
        return { kind: "missing", reason: messageOf(fault) };
      }
    };
    const all = await Promise.all(uris.map(async (uri) => ({ uri, found: await find(uri) })));
    return {
      documents: all.filter(({ found }) => found.kind === "found").map(({ uri }) => uri),
      servers: [...new Set(all.flatMap(({ found }) => (found.kind === "found" ? [found.name] : [])))],
      missing: all.flatMap(({ found }) => (found.kind === "missing" ? [found.reason] : [])),
    };
  }
}

function sinceCursor(since: string | undefined): { readonly since?: string } {
  return since === undefined ? {} : { since };
}
