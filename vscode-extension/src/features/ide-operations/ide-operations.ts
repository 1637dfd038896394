import {
  asObject,
  Fault,
  type IdeOperationHandlers,
  ideOperationMethod,
  type IdeOperationName,
  ideOperationNames,
  ideOperationReaders,
  type IdeOperations as Operations,
  ideOperationsCapability,
  ideOperationsKey,
  messageOf,
  operationsOf,
  pathOfFileUri,
  RequestFailure,
  RpcError,
  SymposiumError,
  textOf,
} from "@symposium-dev/core";
import type { AbilityCall, ClientAbility } from "../../acp/client-abilities.js";
import { applyOperations, type EditedFile } from "./workspace-edits.js";
import { codeActionOperations, formatOperations, renameOperations } from "./code-actions.js";
import { DocumentDiagnostics, diagnosticsOperations, type DiagnosticsSource } from "./diagnostics.js";
import type { Editor } from "./editor.js";
import { hierarchyOperations, hoverOperations, navigationOperations } from "./navigation.js";
import { Languages, usualTimes } from "./languages.js";
import { symbolOperations } from "./symbols.js";
import { windowOperations, type WindowState } from "./window-state.js";

interface IdeOperationsOptions {
  readonly editor: Editor;
  readonly window: WindowState;
  readonly diagnostics: DiagnosticsSource;
  readonly edited: (file: EditedFile) => void;
  /** Returns whether other language servers on this machine may answer for languages without an extension; default: true. */
  readonly mayAskOthers?: () => boolean;
}

/** Clients time out after a minute, so fail with a reason before that. */
const limitMs = 55_000;
/** `setDocument` and `prepareRename` are for adapters; the editor has its own documents. */
const supported = ideOperationNames.filter((name) => name !== "setDocument" && name !== "prepareRename");

export class IdeOperations implements ClientAbility, Disposable {
  readonly capabilities = { _meta: { [ideOperationsKey]: ideOperationsCapability(supported) } };
  readonly requests = Object.fromEntries(
    supported.map((name) => [ideOperationMethod(name), (call: AbilityCall) => this.#answer(name, call)]),
  );
  readonly #languages: Languages;
  readonly #folders = new Map<string, Operations>();
  #documentDiagnostics: DocumentDiagnostics | undefined;

  constructor(private readonly options: IdeOperationsOptions) {
    this.#languages = new Languages(options.editor, usualTimes, options.mayAskOthers);
  }

  [Symbol.dispose](): void {
    this.#documentDiagnostics?.[Symbol.dispose]();
  }

  async #answer(name: IdeOperationName, { params, signal }: AbilityCall): Promise<unknown> {
    const folder = pathOfFileUri(textOf(asObject(params)?.["workspace"]));
    if (folder === undefined) {
      throw new RequestFailure(
        RpcError.invalidParams('workspace: expected the URI of a folder, such as "file:///project".'),
      );
    }
    const parsed = ideOperationReaders[name].params(params, "");
    if (parsed instanceof Fault) throw new RequestFailure(RpcError.invalidParams(parsed.message));
    const late = AbortSignal.timeout(limitMs);
    const end = AbortSignal.any([signal, late]);
    try {
      return await ended(this.#operationsOf(folder).run(name, parsed, end), end);
    } catch (thrown) {
      if (signal.aborted) throw new RequestFailure(RpcError.cancelled());
      throw failureOf(late.aborted ? tooLate(name) : thrown);
    }
  }

  /** Created on the first request, so that nothing is watched before a client asks. */
  #operationsOf(folder: string): Operations {
    const { editor, window, diagnostics, edited } = this.options;
    this.#documentDiagnostics ??= new DocumentDiagnostics(diagnostics);
    const workspace = { folder, editor, languages: this.#languages };
    const known = this.#folders.get(folder);
    if (known) return known;
    const handlers: IdeOperationHandlers = {
      ...navigationOperations(workspace),
      ...symbolOperations(workspace),
      ...hierarchyOperations(workspace),
      ...hoverOperations(workspace),
      ...diagnosticsOperations(workspace, this.#documentDiagnostics),
      ...renameOperations(workspace),
      ...codeActionOperations(workspace),
      ...formatOperations(workspace),
      ...applyOperations(workspace, edited),
      ...windowOperations(workspace, window),
    };
    const operations = operationsOf(handlers);
    this.#folders.set(folder, operations);
    return operations;
  }
}

/** VS Code can't cancel requests to its extensions, so stop waiting instead. */
async function ended<T>(work: Promise<T>, end: AbortSignal): Promise<T> {
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(new SymposiumError("cancelled", "The request was cancelled."));
  });
  if (end.aborted) abort();
  end.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    end.removeEventListener("abort", abort);
  }
}

function tooLate(name: IdeOperationName): SymposiumError {
  const message = `The editor's extensions didn't answer "${name}" in ${limitMs / 1_000} s.`;
  return new SymposiumError("ide-operation-failed", message, "Try again, or request less at once.");
}

function failureOf(thrown: unknown): RequestFailure {
  if (!(thrown instanceof SymposiumError)) return new RequestFailure(RpcError.internal(messageOf(thrown)));
  const { message, hint } = thrown;
  return new RequestFailure(RpcError.internal(message, hint === undefined ? undefined : { hint }));
}
