import { acpMethods } from "../../acp/methods.js";
import { SymposiumError } from "../../base/symposium-error.js";
import type { Conductor } from "../../conductor/conductor.js";
import { untilAborted } from "../../base/until-aborted.js";
import { asObject } from "../../rpc/json.js";
import { Notification, type Outcome, Request } from "../../rpc/message.js";
import { ask } from "../../rpc/peer.js";
import { checked, type Finding } from "../doctor/finding.js";
import { lostMembers, probe, probeMember, probeNotification, probeRequest, probeUpdate } from "./probe.js";
import { type ProbeAgent, replyText, waitText } from "./probe-agent.js";
import type { ProbeClient } from "./probe-client.js";

interface ConversationOptions {
  readonly conductor: Conductor;
  readonly client: ProbeClient;
  readonly agent: ProbeAgent;
  readonly signal: AbortSignal;
  /** How long any one answer may take. */
  readonly limitMs: number;
}

const promptText = "Say something.";
const forwardRemedy = "Forward every message you do not handle, whole: parameters, result, unknown members and _meta.";

/** What an editor says to the chain of the extension and the agent, step by step. A step rejects where nothing is answered. */
export class Conversation {
  constructor(private readonly options: ConversationOptions) {}

  /** `greeting` says under which name it was greeted in the end. */
  async initialize(greeting: () => string | undefined): Promise<readonly Finding[]> {
    const answer = await this.#request(acpMethods.initialize, { protocolVersion: 1, clientCapabilities: {} });
    const { ok, fail } = checked("initialize");
    if (answer.isError) return [failureOf("initialize", answer)];
    const [lost] = lostMembers({ protocolVersion: 1, agentInfo: { name: "check" } }, answer.json.object);
    if (lost === undefined) return [ok(`it answers ${greeting() ?? acpMethods.initialize}`)];
    return [fail(`its answer lacks the agent's ${lost}`, "Send initialize on, and answer as the agent does.")];
  }

  /** The id of a session, or why there is none. */
  async open(cwd: string): Promise<string | Finding> {
    const answer = await this.#request(acpMethods.sessionNew, { cwd, mcpServers: [] });
    if (answer.isError) return failureOf("session", answer);
    const sessionId = answer.json.object?.["sessionId"];
    if (typeof sessionId === "string") return sessionId;
    return checked("session").fail("the answer to session/new has no sessionId", "Answer as the agent does.");
  }

  /** A prompt turn, with unknown updates and members in it. */
  async prompt(sessionId: string): Promise<readonly Finding[]> {
    const { ok, fail } = checked("prompt");
    const { agent, client, limitMs } = this.options;
    const _meta = { [probeMember]: probe };
    const answer = await this.#request(acpMethods.sessionPrompt, promptOf(sessionId, promptText, { _meta }));
    if (answer.isError) return [failureOf("prompt", answer)];
    const update = (text: string) => client.arrivals.first(isCall(acpMethods.sessionUpdate, text), limitMs);
    const prompt = await agent.arrivals.first(isCall(acpMethods.sessionPrompt, promptText), limitMs);
    if (!prompt)
      return [fail("the prompt's text does not reach the agent", "Keep the blocks of the prompt, and add yours.")];
    if (!(await update(replyText))) return [fail("the agent's text does not reach the editor", forwardRemedy)];
    if (answer.json.object?.["stopReason"] !== "end_turn") {
      return [fail(`the turn ends as ${answer.json.text}`, "Answer session/prompt as the agent does.")];
    }
    const unknown = (await update(probeUpdate))?.params?.object?.["update"];
    return [
      ok("the prompt reaches the agent, and its text comes back"),
      ...unchanged("the _meta of a prompt", { _meta }, prompt.params?.object),
      ...unchanged("the _meta of a prompt's answer", { _meta }, answer.json.object),
      ...unchanged("an update of an unknown kind", { [probeMember]: probe, _meta }, unknown),
    ];
  }

  async cancel(sessionId: string): Promise<readonly Finding[]> {
    const { ok, fail } = checked("cancel");
    const { agent, conductor, limitMs } = this.options;
    const answered = this.#request(acpMethods.sessionPrompt, promptOf(sessionId, waitText), "after session/cancel");
    answered.catch(() => undefined);
    const arrived = await agent.arrivals.first(isCall(acpMethods.sessionPrompt, waitText), limitMs);
    if (!arrived) return [fail("the prompt does not reach the agent", forwardRemedy)];
    conductor.fromClient.notify(Notification.of(acpMethods.sessionCancel, { sessionId }));
    if (!(await agent.arrivals.first(isCall(acpMethods.sessionCancel), limitMs))) {
      return [fail("session/cancel does not reach the agent", "Forward notifications, also while a request is open.")];
    }
    const answer = await answered;
    if (answer.json.object?.["stopReason"] === "cancelled") return [ok("session/cancel ends the prompt turn")];
    return [fail(`a cancelled prompt is answered with ${answer.json.text}`, "Answer as the agent does.")];
  }

  /** Requests and notifications that nobody knows, in both directions. */
  async passUnknown(): Promise<readonly Finding[]> {
    const { agent, client, conductor, limitMs } = this.options;
    const params = { [probeMember]: probe };
    conductor.fromClient.notify(Notification.of(probeNotification, params));
    const answer = await this.#request(probeRequest, params);
    if (answer.isError) return [failureOf("unknown", answer, forwardRemedy)];
    const arrived = async ({ arrivals }: ProbeAgent | ProbeClient, method: string) =>
      (await arrivals.first(isCall(method), limitMs))?.params?.object;
    const findings = [
      ...unchanged("an unknown request to the agent", params, await arrived(agent, probeRequest)),
      ...unchanged("the agent's answer to an unknown request", params, answer.json.object),
      ...unchanged("an unknown notification to the agent", params, await arrived(agent, probeNotification)),
      ...unchanged("an unknown request to the editor", params, await arrived(client, probeRequest)),
      ...unchanged("the editor's answer to an unknown request", params, agent.editorAnswer?.json.object),
      ...unchanged("an unknown notification to the editor", params, await arrived(client, probeNotification)),
    ];
    if (findings.length > 0) return findings;
    return [checked("unknown").ok("unknown messages and members pass unchanged, both ways")];
  }

  async #request(method: string, params: object, when = ""): Promise<Outcome> {
    const { conductor, signal, limitMs } = this.options;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    try {
      return await untilAborted(ask(conductor.fromClient, Request.of(method, params)), limit);
    } catch (failure) {
      if (signal.aborted || !limit.aborted) throw failure;
      const text = `no answer to ${method} ${when}`.trim();
      const remedy = "Every request needs one answer: forward it, and send the answer back under its own id.";
      throw new SymposiumError("component-stalled", `${text} within ${limitMs / 1000} s`, remedy);
    }
  }
}

/** The error of a request, with the hint that it carries as the remedy. */
function failureOf(check: string, { json }: Outcome, remedy?: string): Finding {
  const { message, data } = json.object ?? {};
  const text = typeof message === "string" ? message : json.text;
  const hint = asObject(data)?.["hint"];
  const { fail } = checked(check);
  return typeof hint === "string" ? fail(text.replace(hint, "").trim(), hint) : fail(text, remedy);
}

function unchanged(what: string, expected: object, actual: unknown): readonly Finding[] {
  const { fail } = checked("unknown");
  if (actual === undefined) return [fail(`${what} does not arrive`, forwardRemedy)];
  const lost = lostMembers(expected, actual);
  return lost.length === 0 ? [] : [fail(`${what} arrives changed: ${lost.join(", ")}`, forwardRemedy)];
}

function promptOf(sessionId: string, text: string, more: object = {}): object {
  return { sessionId, prompt: [{ type: "text", text }], ...more };
}

function isCall(
  method: string,
  text = "",
): (call: { method: string; params: { text: string } | undefined }) => boolean {
  return (call) => call.method === method && (call.params?.text ?? "").includes(text);
}
