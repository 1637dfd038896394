import type { AuthMethod, AuthMethodTerminal, InitializeResponse } from "@agentclientprotocol/sdk/unstable";
import { asObject, numberOf, stringOf } from "../../base/rpc/json.js";
import { objectsOf, type Unchecked } from "./unchecked.js";

/** A way to sign in, as the agent names it. */
export type UncheckedAuthMethod = Unchecked<AuthMethod | AuthMethodTerminal>;

/** What an agent said of itself in its answer to `initialize`. */
export interface InitializedAgent {
  /** The whole answer, as it came. */
  readonly result: Unchecked<InitializeResponse>;
  readonly protocolVersion: number | undefined;
  readonly name: string | undefined;
  /** The name for people. */
  readonly title: string | undefined;
  readonly version: string | undefined;
  /** What prompts may have beside text and links. */
  readonly accepts: { readonly image: boolean; readonly audio: boolean; readonly embeddedContext: boolean };
  readonly canLoad: boolean;
  readonly canResume: boolean;
  readonly canFork: boolean;
  readonly canList: boolean;
  readonly canClose: boolean;
  readonly canDelete: boolean;
  readonly takesAdditionalDirectories: boolean;
  /** Whether text can go into a turn that runs. */
  readonly canSteer: boolean;
  /** As they came. */
  readonly authMethods: readonly UncheckedAuthMethod[];
}

/** Reads the answer to `initialize`; what is missing or of another kind counts as not supported. */
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
    // Beside the capabilities, not among them.
    canSteer: asObject(result._meta?.["steering"])?.["supported"] === true,
    authMethods: objectsOf(result.authMethods),
  };
}

/** Capabilities are markers: an object means supported. Some agents write `true`. */
function isMarked(value: unknown): boolean {
  return value === true || asObject(value) !== undefined;
}
