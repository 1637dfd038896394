import { SymposiumError } from "../symposium-error.js";
import type { OperationState } from "./operation-state.js";
import type { IdeParams, IdeResult, PageAnswer, PageParams } from "./operation-types.js";
import { type IdeOperationName, ideOperationNames, maxIdeItems } from "./wire.js";

/** IDE operations of one workspace, run by an editor over ACP or by Symposium's language servers. */
export interface IdeOperations {
  readonly supported: ReadonlySet<IdeOperationName>;
  /** Runs an operation. Rejects with `ide-operation-failed`, or with `cancelled` if `signal` aborts. */
  run<N extends IdeOperationName>(name: N, params: IdeParams<N>, signal: AbortSignal): Promise<IdeResult<N>>;
}

export type IdeOperationHandlers = {
  readonly [N in IdeOperationName]?: (params: IdeParams<N>, signal: AbortSignal) => Promise<IdeResult<N>>;
};

export function operationsOf(handlers: IdeOperationHandlers): IdeOperations {
  return {
    supported: new Set(ideOperationNames.filter((name) => handlers[name] !== undefined)),
    run(name, params, signal) {
      const handler = handlers[name];
      return handler ? handler(params, signal) : Promise.reject(notSupported(name));
    },
  };
}

export function notSupported(name: IdeOperationName): SymposiumError {
  return new SymposiumError(
    "ide-operation-failed",
    `The editor does not offer "${name}".`,
    "Use another tool, or read the files.",
  );
}

export function pageOf<T>(
  items: readonly T[],
  { offset = 0, limit = maxIdeItems }: PageParams,
  state: OperationState,
): PageAnswer<T> {
  return { state, items: items.slice(offset, offset + Math.min(limit, maxIdeItems)), total: items.length };
}
