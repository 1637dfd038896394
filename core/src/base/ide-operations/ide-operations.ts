import { SymposiumError } from "../symposium-error.js";
import type { OperationState } from "./operation-state.js";
import type { IdeParams, IdeResult, PageAnswer, PageParams } from "./operation-types.js";
import { type IdeOperationName, ideOperationNames, maxIdeItems } from "./wire.js";

/** The operations of one workspace, whoever does them: an editor over ACP, or language servers of our own. */
export interface IdeOperations {
  /** What may be asked here. */
  readonly supported: ReadonlySet<IdeOperationName>;
  /** Rejects with `ide-operation-failed`, or with `cancelled` when `signal` was aborted. */
  run<N extends IdeOperationName>(name: N, params: IdeParams<N>, signal: AbortSignal): Promise<IdeResult<N>>;
}

/** A function for each operation that is supported. */
export type IdeOperationHandlers = {
  readonly [N in IdeOperationName]?: (params: IdeParams<N>, signal: AbortSignal) => Promise<IdeResult<N>>;
};

/** The operations that `handlers` do. */
export function operationsOf(handlers: IdeOperationHandlers): IdeOperations {
  return {
    supported: new Set(ideOperationNames.filter((name) => handlers[name] !== undefined)),
    run(name, params, signal) {
      const handler = handlers[name];
      return handler ? handler(params, signal) : Promise.reject(notSupported(name));
    },
  };
}

/** For operations that nobody does here. */
export function notSupported(name: IdeOperationName): SymposiumError {
  return new SymposiumError(
    "ide-operation-failed",
    `The editor does not offer "${name}".`,
    "Use another tool, or read the files.",
  );
}

/** The part of `items` that was asked for. */
export function pageOf<T>(
  items: readonly T[],
  { offset = 0, limit = maxIdeItems }: PageParams,
  state: OperationState,
): PageAnswer<T> {
  return { state, items: items.slice(offset, offset + Math.min(limit, maxIdeItems)), total: items.length };
}
