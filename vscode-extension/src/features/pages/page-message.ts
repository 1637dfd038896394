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
    say(`${page} sent a message that couldn't be understood.`);
    return;
  }
  try {
    await act(parsed.data);
  } catch (error) {
    say(messageOf(error));
  }
}
