import { SymposiumError } from "../../../base/symposium-error.js";

export const pathHint = "Paths start from the workspace's folder.";

/** For an address that leads to no symbol, or to several: `problem` continues the sentence that the address begins. */
export function symbolError(address: string, problem: string, hint: string): SymposiumError {
  return new SymposiumError("invalid-arguments", `symbol: "${address}" ${problem}.`, hint);
}
