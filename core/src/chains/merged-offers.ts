import { Json } from "../rpc/json.js";
import { arrayOf, memberOf, withMember } from "../rpc/json-edit.js";
import { Notification } from "../rpc/message.js";
import type { AgentOffers } from "./agent-offers.js";
import type { Choice, Offer } from "./choice.js";
import { choiceCommands } from "./choice-commands.js";
import { choiceOptions } from "./choice-options.js";
import type { OpenSession } from "./open-session.js";
import type { WatchedKind } from "./watched-update.js";

/** What agents offer, with what we offer behind it. */
export class MergedOffers {
  /** Whether the client takes boolean config options. */
  takesBooleans = false;

  constructor(private readonly offer: Offer) {}

  /** The config options of a session whose chain is made of `choice`: an array. */
  options(offers: AgentOffers, choice: Choice): Json {
    return arrayOf([...offers.options, ...choiceOptions(this.offer, choice, this.takesBooleans)]);
  }

  /** `answer`, which carries a list of config options or opens a session, with all of the options. */
  withOptions(answer: Json, offers: AgentOffers, choice: Choice): Json {
    return withMember(answer, ["configOptions"], this.options(offers, choice));
  }

  /** Takes an update of this kind over into `offers`; the same with ours added. */
  taken(notification: Notification, kind: WatchedKind, offers: AgentOffers, choice: Choice): Notification {
    const { params } = notification;
    const update = params && memberOf(params, "update");
    if (!update) return notification;
    switch (kind) {
      case "available_commands_update":
        offers.takeCommands(update);
        return withUpdate(notification, withMember(update, ["availableCommands"], this.#commands(offers)));
      case "config_option_update":
        offers.takeOptions(update);
        return withUpdate(notification, this.withOptions(update, offers, choice));
      case "current_mode_update":
        return notification;
    }
  }

  /** Tells the client what is offered in a session. */
  tell(session: OpenSession): void {
    this.tellOptions(session);
    this.tellCommands(session);
  }

  tellOptions(session: OpenSession): void {
    const { offers, chain } = session;
    session.update(this.withOptions(Json.of({ sessionUpdate: "config_option_update" }), offers, chain.choice));
  }

  tellCommands(session: OpenSession): void {
    const update = Json.of({ sessionUpdate: "available_commands_update" });
    session.update(withMember(update, ["availableCommands"], this.#commands(session.offers)));
  }

  #commands(offers: AgentOffers): Json {
    return arrayOf([...offers.commands, ...choiceCommands(this.offer)]);
  }
}

function withUpdate(notification: Notification, update: Json): Notification {
  return new Notification(notification.method, withMember(notification.params ?? Json.of({}), ["update"], update));
}
