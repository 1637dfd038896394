import { flag, optional, record, type Shape, wholeNumber } from "./shape.js";

export interface ConversationSettings {
  readonly keep: boolean;
  /** Maximum days since last use. */
  readonly days: number;
  /** Maximum size of all conversations together. */
  readonly megabytes: number;
}

export const defaultConversationSettings: ConversationSettings = { keep: true, days: 90, megabytes: 2048 };

const given = record(
  {
    keep: optional(flag("Whether conversations are stored.")),
    days: optional(
      wholeNumber({
        unit: "days",
        maximum: 36_500,
        default: defaultConversationSettings.days,
        description: "How long a conversation is stored after it was last used.",
      }),
    ),
    megabytes: optional(
      wholeNumber({
        unit: "megabytes",
        maximum: 10_000_000,
        default: defaultConversationSettings.megabytes,
        description: "Maximum size of all stored conversations. The oldest are removed first.",
      }),
    ),
  },
  { description: "Your conversations, stored in the folder `sessions` next to this file for you alone." },
);

/**
 * Format of `conversations` in config.jsonc. If the value is invalid, nothing is stored, since the user may have intended to disable
 * storing.
 */
export const conversationSettings: Shape<ConversationSettings> = {
  read(value, place) {
    const said = given.read(value, place);
    if (said) return { ...defaultConversationSettings, ...said };
    place.report(`No conversations are stored while ${place.label} can't be read.`);
    return { ...defaultConversationSettings, keep: false };
  },
  schema: { ...given.schema, default: defaultConversationSettings },
};
