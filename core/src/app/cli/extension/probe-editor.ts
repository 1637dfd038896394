import { acpMethods, acpVersion } from "../../../base/acp/methods.js";
import { SymposiumError } from "../../../base/symposium-error.js";
import { untilAborted } from "../../../base/until-aborted.js";
import { AgentClient } from "../../../conductor/client/agent-client.js";
import { AgentRefusal } from "../../../conductor/client/agent-errors.js";
import type { AgentSession, PromptTurn } from "../../../conductor/client/agent-session.js";
import { asObject, type Members } from "../../../base/rpc/json.js";
import type { Peer } from "../../../base/rpc/peer.js";
import { checked, type Finding, refusalFinding } from "../findings/finding.js";
import {
  type Arrival,
  Arrivals,
  lostMembers,
  probe,
  type ProbeAgent,
  probeMember,
  probeNotification,
  probeRequest,
  probeUpdate,
  replyText,
  waitText,
} from "./probe-agent.js";

interface ProbeEditorOptions {
  readonly agent: ProbeAgent;
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

const promptText = "Say something.";
const forwardRemedy =
  "Forward every message that you don't handle unchanged, including parameters, result, unknown members and _meta.";
const _meta = { [probeMember]: probe };

/** Editor side of an extension check; denies all permissions. Each step rejects if its request isn't answered. */
export class ProbeEditor {
  readonly client: AgentClient;
  readonly #arrivals = new Arrivals();
  #session: AgentSession | undefined;

  constructor(private readonly options: ProbeEditorOptions) {
    this.client = new AgentClient({
      capabilities: {},
      requests: {
        [acpMethods.requestPermission]: () => ({ outcome: { outcome: "cancelled" } }),
        [probeRequest]: (call) => {
          this.#arrivals.add(call);
          return { [probeMember]: probe };
        },
      },
      notification: (call) => this.#arrivals.add(call),
    });
  }

  /** `initializedBy` returns the method that initialized the extension. */
  async initialize(chain: Peer, initializedBy: () => string | undefined): Promise<readonly Finding[]> {
    const { ok, fail } = checked("initialize");
    return refusalsFound("initialize", async () => {
      const { result } = await this.#answer(acpMethods.initialize, this.client.initialize(chain));
      const [lost] = lostMembers({ protocolVersion: acpVersion, agentInfo: { name: "check" } }, result);
      if (lost === undefined) return [ok(`it answers ${initializedBy() ?? acpMethods.initialize}`)];
      return [fail(`its answer lacks the agent's ${lost}`, "Forward initialize, and return the agent's answer.")];
    });
  }

  get hasSession(): boolean {
    return this.#session !== undefined;
  }

  async open(cwd: string): Promise<readonly Finding[]> {
    const { ok, fail } = checked("session");
    const update = (update: object): void =>
      this.#arrivals.add({ method: acpMethods.sessionUpdate, params: { update } });
    try {
      this.#session = await this.#answer(acpMethods.sessionNew, this.client.newSession({ cwd }, { update }));
      return [ok("session/new opens a session")];
    } catch (thrown) {
      if (!(thrown instanceof AgentRefusal)) throw thrown;
      if (thrown.code !== undefined) return [refusalFinding("session", thrown)];
      return [fail("the answer to session/new has no sessionId", "Return the agent's answer.")];
    }
  }

  async prompt(): Promise<readonly Finding[]> {
    const { ok, fail } = checked("prompt");
    const { agent, limitMs } = this.options;
    return refusalsFound("prompt", async () => {
      const turn = this.#prompt(promptText, { _meta });
      const answer = await this.#answer(acpMethods.sessionPrompt, turn.result);
      const update = (text: string) => this.#arrivals.first(isCall(acpMethods.sessionUpdate, text), limitMs);
      const prompt = await agent.arrivals.first(isCall(acpMethods.sessionPrompt, promptText), limitMs);
      if (!prompt)
        return [fail("the prompt's text does not reach the agent", "Keep the prompt's blocks when you add yours.")];
      if (!(await update(replyText))) return [fail("the agent's text does not reach the editor", forwardRemedy)];
      if (answer.stopReason !== "end_turn") {
        return [fail(`the turn ends with ${JSON.stringify(answer)}`, "Return the agent's answer to session/prompt.")];
      }
      return [
        ok("the prompt reaches the agent, and its text comes back"),
        ...unchanged("the _meta of a prompt", { _meta }, prompt.params),
        ...unchanged("the _meta of a prompt's answer", { _meta }, answer),
        ...unchanged(
          "an update of an unknown kind",
          { [probeMember]: probe, _meta },
          (await update(probeUpdate))?.params?.["update"],
        ),
      ];
    });
  }

  async cancel(): Promise<readonly Finding[]> {
    const { ok, fail } = checked("cancel");
    const { agent, limitMs } = this.options;
    const turn = this.#prompt(waitText);
    const answered = this.#answer(acpMethods.sessionPrompt, turn.result, "after session/cancel");
    answered.catch(() => undefined);
    const arrived = await agent.arrivals.first(isCall(acpMethods.sessionPrompt, waitText), limitMs);
    if (!arrived) return [fail("the prompt does not reach the agent", forwardRemedy)];
    void turn.cancel(limitMs);
    if (!(await agent.arrivals.first(isCall(acpMethods.sessionCancel), limitMs))) {
      return [fail("session/cancel does not reach the agent", "Forward notifications even while a request is open.")];
    }
    const answer = await answered.catch(refusal);
    if (answer["stopReason"] === "cancelled") return [ok("session/cancel ends the prompt turn")];
    return [fail(`a cancelled prompt is answered with ${JSON.stringify(answer)}`, "Return the agent's answer.")];
  }

  async passUnknown(): Promise<readonly Finding[]> {
    const { agent, limitMs } = this.options;
    const params = { [probeMember]: probe };
    const arrived = async (arrivals: Arrivals, method: string) =>
      (await arrivals.first(isCall(method), limitMs))?.params;
    this.client.notify(probeNotification, params);
    return refusalsFound(
      "unknown",
      async () => {
        const answer = await this.#answer(probeRequest, this.client.call(probeRequest, params));
        const findings = [
          ...unchanged("an unknown request to the agent", params, await arrived(agent.arrivals, probeRequest)),
          ...unchanged("the agent's answer to an unknown request", params, answer),
          ...unchanged(
            "an unknown notification to the agent",
            params,
            await arrived(agent.arrivals, probeNotification),
          ),
          ...unchanged("an unknown request to the editor", params, await arrived(this.#arrivals, probeRequest)),
          ...unchanged("the editor's answer to an unknown request", params, agent.editorAnswer?.json.object),
          ...unchanged(
            "an unknown notification to the editor",
            params,
            await arrived(this.#arrivals, probeNotification),
          ),
        ];
        if (findings.length > 0) return findings;
        return [checked("unknown").ok("unknown messages and members are forwarded unchanged in both directions")];
      },
      forwardRemedy,
    );
  }

  #prompt(text: string, members?: Members): PromptTurn {
    if (!this.#session) throw new Error("There is no session.");
    return this.#session.prompt([{ type: "text", text }], members);
  }

  async #answer<T>(method: string, answer: Promise<T>, when = ""): Promise<T> {
    const { signal, limitMs } = this.options;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    try {
      return await untilAborted(answer, limit);
    } catch (failure) {
      if (signal.aborted || !limit.aborted) throw failure;
      const text = `no answer to ${method} ${when}`.trim();
      const remedy =
        "Every request needs exactly one answer. Forward the request, and return the answer under the original id.";
      throw new SymposiumError("component-stalled", `${text} within ${limitMs / 1000} s`, remedy);
    }
  }
}

async function refusalsFound(
  check: string,
  step: () => Promise<readonly Finding[]>,
  remedy?: string,
): Promise<readonly Finding[]> {
  try {
    return await step();
  } catch (thrown) {
    if (!(thrown instanceof AgentRefusal)) throw thrown;
    return [refusalFinding(check, thrown, remedy)];
  }
}

function refusal(thrown: unknown): Members {
  if (!(thrown instanceof AgentRefusal)) throw thrown;
  return asObject(thrown.error) ?? {};
}

function unchanged(what: string, expected: object, actual: unknown): readonly Finding[] {
  const { fail } = checked("unknown");
  if (actual === undefined) return [fail(`${what} does not arrive`, forwardRemedy)];
  const lost = lostMembers(expected, actual);
  return lost.length === 0 ? [] : [fail(`${what} arrives changed: ${lost.join(", ")}`, forwardRemedy)];
}

function isCall(method: string, text = ""): (arrival: Arrival) => boolean {
  return (arrival) => arrival.method === method && JSON.stringify(arrival.params ?? {}).includes(text);
}
