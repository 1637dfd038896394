import { choice, flag, list, mapped, optional, record, required, text } from "./shape.js";
import type { Shape } from "./shape.js";
import type { ServerInput } from "./user-server.js";

const kind = choice(
  ["promptString", "pickString"],
  "Whether to ask for any text or for one of `options`; inferred from `options` by default.",
  "Inputs can't run commands. Use ${env:NAME} or ${secret:NAME} instead.",
);

/** Input in the format of VS Code's mcp.json. */
export const serverInput: Shape<ServerInput> = mapped(
  record(
    {
      id: required(text("Stands in `${input:ID}`.")),
      type: optional(kind),
      description: optional(text("The prompt that the user sees.")),
      password: optional(flag("Whether the value is hidden while it is typed, and stored as a secret.")),
      default: optional(text("What is proposed.")),
      options: optional(list(text("A choice."), "The available choices.")),
    },
    { description: "A value that the user is asked for once." },
  ),
  ({ id, description, password, default: proposed, options }) => ({
    id,
    isSecret: password === true,
    ...(description !== undefined && { description }),
    ...(proposed !== undefined && { default: proposed }),
    ...(options !== undefined && { options }),
  }),
);
