import { acpMethods, sessionHandlers } from "../base/acp/methods.js";
import { markedNoBypass } from "../base/acp/must-ask.js";
import { sessionIdOf, updateKindOf } from "../base/acp/session-message.js";
import { withMember } from "../base/rpc/json-edit.js";
import { asObject, Json, type Members } from "../base/rpc/json.js";
import { type Notification, Outcome, Request } from "../base/rpc/message.js";
import type { Cancel, Reply } from "../base/rpc/peer.js";
import { RpcError } from "../base/rpc/rpc-error.js";
import type { Proxy, ProxyChain, ProxyHandlers, RequestHandler } from "../conductor/chain/proxy.js";
import { openedSessionId } from "../conductor/chain/session-resources.js";
import { byOrganisation, isBypass } from "../settings/managed-policy/managed-policy.js";

/**
 * Keeps agents out of modes in which they don't ask for permission, and marks their permission requests, so that clients don't bypass
 * them. `file` is the policy file that requires this.
 */
export function bypassProxy(file: string): Proxy {
  return { name: "bypass guard", connect: (chain) => new BypassGuard(chain, file).handlers };
}

/** Request that selects a mode, and the mode's id. */
interface ModeChoice {
  readonly request: Request;
  readonly mode: string;
}

class BypassGuard {
  readonly handlers: ProxyHandlers;
  /** The last allowed mode of each session. */
  readonly #allowed = new Map<string, ModeChoice>();

  constructor(
    private readonly chain: ProxyChain,
    private readonly file: string,
  ) {
    const choose: RequestHandler = (request, reply) => this.#choose(request, reply);
    const mark: RequestHandler = (request, reply) =>
      chain.client.request(withoutBypassOptions(markedNoBypass(request)), reply);
    this.handlers = {
      clientRequests: {
        ...sessionHandlers<RequestHandler>((request, reply) => this.#open(request, reply)),
        [acpMethods.setMode]: choose,
        [acpMethods.setConfigOption]: choose,
      },
      agentRequests: {
        [acpMethods.requestPermission]: mark,
        // The editor asks about these requests itself if they leave the session's folders.
        "fs/read_text_file": mark,
        "fs/write_text_file": mark,
        "terminal/create": mark,
      },
      agentNotifications: { [acpMethods.sessionUpdate]: (notification) => this.#observe(notification) },
    };
  }

  #choose(request: Request, reply: Reply): Cancel | undefined {
    const { modeId, value } = request.params?.object ?? {};
    const wanted = [modeId, value].find((one) => typeof one === "string");
    if (typeof wanted === "string" && isBypass(wanted)) {
      reply(this.#refusal(wanted));
      return undefined;
    }
    return this.chain.successor.request(request, reply);
  }

  /** Opens a session. If it starts in a forbidden mode, changes the mode before the client gets the session. */
  #open(request: Request, reply: Reply): Cancel {
    return this.chain.successor.request(request, (outcome) => {
      const id = openedSessionId(request, outcome);
      const result = outcome.isError ? undefined : outcome.json.object;
      if (id === undefined || !result) return reply(outcome);
      const { current, choices } = modesIn(result, id);
      const [first] = choices;
      if (first) this.#allowed.set(id, choices.find(({ mode }) => mode === current) ?? first);
      const answer = Outcome.result(withoutBypass(outcome.json, result, first?.mode));
      if (current === undefined || !isBypass(current)) return reply(answer);
      if (!first) return reply(this.#refusal(current));
      this.chain.successor.request(first.request, (changed) =>
        reply(changed.isError ? this.#refusal(current) : answer),
      );
    });
  }

  /** Sets the mode back if the agent itself changed it. */
  #observe(notification: Notification): Notification {
    const kind = updateKindOf(notification);
    if (kind !== "current_mode_update" && kind !== "config_option_update") return notification;
    const id = sessionIdOf(notification.params) ?? "";
    const update = asObject(notification.params?.object?.["update"]) ?? {};
    const modes = kind === "current_mode_update" ? { modes: update } : update;
    const { current } = modesIn(modes, id);
    const allowed = this.#allowed.get(id);
    if (current === undefined || !isBypass(current) || !allowed) return notification;
    this.chain.logger.warn("set an agent's mode back", { mode: current, policy: this.file });
    this.chain.successor.request(allowed.request, (outcome) => {
      if (outcome.isError) this.chain.logger.error("couldn't set an agent's mode back", { mode: current });
    });
    return notification;
  }

  #refusal(mode: string): Outcome {
    const text = `The mode "${mode}" isn't allowed, because agents must ask for permission: ${byOrganisation(this.file)}.`;
    return Outcome.error(RpcError.invalidRequest(`${text} Choose another mode.`));
  }
}

/** Returns a session's current mode and the allowed choices, from its modes or its configuration option of the category `mode`. */
function modesIn(
  result: Members,
  sessionId: string,
): { readonly current: string | undefined; readonly choices: readonly ModeChoice[] } {
  const modes = asObject(result["modes"]);
  const option = listOf(result["configOptions"]).find(isModeOption);
  const current = modes?.["currentModeId"] ?? option?.["currentValue"];
  const choices = modes
    ? listOf(modes["availableModes"]).flatMap(({ id: modeId }) => {
        if (typeof modeId !== "string" || isBypass(modeId)) return [];
        return { mode: modeId, request: Request.of(acpMethods.setMode, { sessionId, modeId }) };
      })
    : listOf(option?.["options"]).flatMap(({ value }) => {
        if (typeof value !== "string" || isBypass(value)) return [];
        const request = Request.of(acpMethods.setConfigOption, { sessionId, configId: option?.["id"], value });
        return { mode: value, request };
      });
  return { current: typeof current === "string" ? current : undefined, choices };
}

/** Removes options of a permission request that change to a forbidden mode, as in the question at the end of Claude's plan mode. */
function withoutBypassOptions(request: Request): Request {
  const options = listOf(request.params?.object?.["options"]);
  const kept = options.filter(({ optionId }) => !isBypass(String(optionId)));
  if (!request.params || kept.length === options.length) return request;
  return new Request(request.method, withMember(request.params, ["options"], Json.of(kept)));
}

function isModeOption({ category, id }: Members): boolean {
  return category === "mode" || id === "mode";
}

/** Removes the forbidden modes from the answer to a request that opens a session. `instead` replaces a forbidden current mode. */
function withoutBypass(json: Json, result: Members, instead: string | undefined): Json {
  const isAllowed = ({ id, value }: Members): boolean => !isBypass(String(id ?? value));
  const other = (mode: unknown): unknown => (typeof mode === "string" && isBypass(mode) ? instead : mode);
  let edited = json;
  const modes = asObject(result["modes"]);
  const available = listOf(modes?.["availableModes"]);
  if (modes && !available.every(isAllowed)) {
    const kept = {
      ...modes,
      currentModeId: other(modes["currentModeId"]),
      availableModes: available.filter(isAllowed),
    };
    edited = withMember(edited, ["modes"], Json.of(kept));
  }
  const options = listOf(result["configOptions"]);
  if (options.some((option) => isModeOption(option) && !listOf(option["options"]).every(isAllowed))) {
    const kept = options.map((option) =>
      isModeOption(option)
        ? {
            ...option,
            currentValue: other(option["currentValue"]),
            options: listOf(option["options"]).filter(isAllowed),
          }
        : option,
    );
    edited = withMember(edited, ["configOptions"], Json.of(kept));
  }
  return edited;
}

function listOf(value: unknown): readonly Members[] {
  return (Array.isArray(value) ? (value as readonly unknown[]) : []).map((one) => asObject(one) ?? {});
}
