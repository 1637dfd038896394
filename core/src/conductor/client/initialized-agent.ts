import type { AuthMethod, AuthMethodTerminal, InitializeResponse } from "@agentclientprotocol/sdk/unstable";
import { asObject, numberOf, stringOf } from "../../base/rpc/json.js";
import { objectsOf, type Unchecked } from "./unchecked.js";

export type UncheckedAuthMethod = Unchecked<AuthMethod | AuthMethodTerminal>;

export interface InitializedAgent {
  /** The complete, unvalidated `initialize` result. */
  readonly result: Unchecked<InitializeResponse>;
  readonly protocolVersion: number | undefined;
  readonly name: string | undefined;
  readonly title: string | undefined;
  readonly version: string | undefined;
  /** Content types that prompts support in addition to text and links. */
  readonly accepts: { readonly image: boolean; readonly audio: boolean; readonly embeddedContext: boolean };
  readonly canLoad: boolean;
  readonly canResume: boolean;
  readonly canFork: boolean;
  readonly canList: boolean;
  readonly canClose: boolean;
  readonly canDelete: boolean;
  readonly takesAdditionalDirectories: boolean;
  readonly canSteer: boolean;
  readonly authMethods: readonly UncheckedAuthMethod[];
}

/** Parses the `initialize` result. Treats missing or malformed capabilities as unsupported. */
export function parseInitialized(result: Unchecked<InitializeResponse>): InitializedAgent {
  const { agentCapabilities: capabilities, agentInfo: info } = result;
  const prompt = capabilities?.promptCapabilities;
  const session = capabilities?.sessionCapabilities;
  return {
    result,
    protocolVersion: numberOf(result.protocolVersion),
    name: stringOf(info?.name),
    title: stringOf(info?.title),
    version: stringOf(info?.version),
    accepts: {
      image: prompt?.image === true,
      audio: prompt?.audio === true,
      embeddedContext: prompt?.embeddedContext === true,
    },
    canLoad: capabilities?.loadSession === true,
    canResume: isMarked(session?.resume),
    canFork: isMarked(session?.fork),
    canList: isMarked(session?.list),
    canClose: isMarked(session?.close),
    canDelete: isMarked(session?.delete),
    takesAdditionalDirectories: isMarked(session?.additionalDirectories),
    // Agents announce `steering` in the result's `_meta`, not in the capabilities.
    canSteer: asObject(result._meta?.["steering"])?.["supported"] === true,
    authMethods: objectsOf(result.authMethods),
  };
}

/** Whether a capability is supported. Agents mark a supported capability with an object; some agents use `true`. */
function isMarked(value: unknown): boolean {
  return value === true || asObject(value) !== undefined;
}
