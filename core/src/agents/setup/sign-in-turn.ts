import { acpMethods } from "../../acp/methods.js";
import { type Outcome, Request } from "../../rpc/message.js";
import { choiceIn, isWord } from "./choice.js";
import type { ChosenChain } from "./chosen-chain.js";
import type { SetupDialogue } from "./setup-dialogue.js";
import type { SetupSession } from "./setup-session.js";
import { errorText, notASignIn, savedStays, signInElsewhere } from "./setup-text.js";
import type { SetupTurn } from "./setup-turn.js";
import type { SignIn } from "./sign-in.js";

/** Takes the answer to the question how to sign in, and tries the session again once. */
export async function signInTurn(
  dialogue: SetupDialogue,
  session: SetupSession,
  turn: SetupTurn,
  { chain, methods }: { readonly chain: ChosenChain; readonly methods: readonly SignIn[] },
): Promise<void> {
  if (isWord(turn.text, "back")) {
    if (!chain.isReady) await dialogue.goBack(session, turn, chain, savedStays);
    else dialogue.askToSignIn(session, turn, chain, `${chain.name} is in use by another session.`);
    return;
  }
  if (isWord(turn.text, "retry")) {
    await dialogue.openSession(session, turn, chain, false);
    return;
  }
  const method = choiceIn(turn.text, methods);
  if (!method) {
    // Another session may have signed in meanwhile.
    if (chain.isReady) await dialogue.openSession(session, turn, chain, true);
    else dialogue.askToSignIn(session, turn, chain, notASignIn(turn.text, chain.name, methods.length));
    return;
  }
  if (method.kind !== "agent") {
    const command = method.kind === "terminal" ? dialogue.terminalCommand(chain.agent, method) : "";
    turn.finish(signInElsewhere(method, command));
    return;
  }
  const outcome = await authenticate(turn, chain, method);
  if (!outcome) return;
  if (outcome.isError) dialogue.askToSignIn(session, turn, chain, `${method.name} failed: ${errorText(outcome)}`);
  else await dialogue.openSession(session, turn, chain, false);
}

/** Undefined when the turn was cancelled. */
function authenticate(turn: SetupTurn, chain: ChosenChain, method: SignIn): Promise<Outcome | undefined> {
  const answered = new Promise<Outcome>((resolve) => {
    turn.onCancel(chain.request(Request.of(acpMethods.authenticate, { methodId: method.id }), resolve));
  });
  return turn.until(answered);
}
