import * as l10n from "@vscode/l10n";
import { messageOf } from "@symposium-dev/core";
import type * as z from "zod/mini";

interface PageMessages<Message> {
  readonly page: string;
  readonly schema: z.ZodMiniType<Message>;
  readonly act: (message: Message) => Promise<void>;
  readonly say: (text: string) => void;
}

/** Handles a page message. Reports invalid messages and errors to the user; never rejects. */
export async function takeMessage<Message>(
  value: unknown,
  { page, schema, act, say }: PageMessages<Message>,
): Promise<void> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    say(l10n.t("{0} sent a message that couldn't be understood.", page));
    return;
  }
  try {
    await act(parsed.data);
  } catch (error) {
    say(messageOf(error));
  }
}
