import { arrayOf, memberOf, withMember } from "../../base/rpc/json-edit.js";
import { Json } from "../../base/rpc/json.js";
import { Notification } from "../../base/rpc/message.js";
import type { AgentOffers } from "./agent-offers.js";
import { choiceCommands } from "./choice-commands.js";
import { choiceOptions } from "./choice-options.js";
import type { Choice, Offer } from "./chosen-agent-and-proxies.js";
import type { OpenSession } from "./open-session.js";

/** Merges the agent's config options, commands and modes with the options of Symposium. */
export class CombinedOptions {
  /** Whether the client accepts boolean config options. */
  takesBooleans = false;

  constructor(private readonly offer: Offer) {}

  get isEmpty(): boolean {
    return this.offer.agents.length === 0 && this.offer.proxies.length === 0;
  }

  /** Adds all config options to an answer that contains config options or opens a session. */
  withOptions(answer: Json, offers: AgentOffers, choice: Choice): Json {
    return this.isEmpty ? answer : withMember(answer, ["configOptions"], this.#options(offers, choice));
  }

  /** Records the update in `offers` and returns it with Symposium's additions. */
  noted(notification: Notification, kind: WatchedKind, offers: AgentOffers, choice: Choice): Notification {
    const { params } = notification;
    const update = params && memberOf(params, "update");
    if (!update) return notification;
    switch (kind) {
      case "available_commands_update":
        offers.setCommands(update);
        if (this.isEmpty) return notification;
        return withUpdate(notification, withMember(update, ["availableCommands"], this.#commands(offers)));
      case "config_option_update":
        offers.setOptions(update);
        if (this.isEmpty) return notification;
        return withUpdate(notification, this.withOptions(update, offers, choice));
      case "current_mode_update":
        return notification;
    }
  }

  emit(session: OpenSession): void {
    this.emitOptions(session);
    const { mode } = session.offers;
    if (mode !== undefined) session.update(Json.of({ sessionUpdate: "current_mode_update", currentModeId: mode }));
    this.emitCommands(session);
  }

  emitOptions(session: OpenSession): void {
    const { offers, chain } = session;
    const configOptions = this.#options(offers, chain.choice);
    if (this.isEmpty && offers.options.length === 0) return;
    session.update(withMember(Json.of({ sessionUpdate: "config_option_update" }), ["configOptions"], configOptions));
  }

  emitCommands(session: OpenSession): void {
    const { offers } = session;
    if (this.isEmpty && offers.commands.length === 0) return;
    const availableCommands = this.#commands(offers);
    session.update(
      withMember(Json.of({ sessionUpdate: "available_commands_update" }), ["availableCommands"], availableCommands),
    );
  }

  #options(offers: AgentOffers, choice: Choice): Json {
    return arrayOf([...offers.options, ...(this.isEmpty ? [] : choiceOptions(this.offer, choice, this.takesBooleans))]);
  }

  #commands(offers: AgentOffers): Json {
    return arrayOf([...offers.commands, ...(this.isEmpty ? [] : choiceCommands(this.offer))]);
  }
}

function withUpdate(notification: Notification, update: Json): Notification {
  return new Notification(notification.method, withMember(notification.params ?? Json.of({}), ["update"], update));
}

/** Kinds of `session/update` that announce the agent's commands, options or mode. */
const watchedKinds = ["available_commands_update", "config_option_update", "current_mode_update"] as const;
export type WatchedKind = (typeof watchedKinds)[number];

export function watchedKindOf(kind: string | undefined): WatchedKind | undefined {
  return watchedKinds.find((watched) => watched === kind);
}
