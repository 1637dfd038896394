import * as z from "zod/mini";

/** ACP content block, forwarded unmodified. The view shows unknown types as JSON. */
export const contentBlockSchema = z.looseObject({ type: z.string() });
export type ContentBlock = z.infer<typeof contentBlockSchema>;

/**
 * Attachment of a prompt. The extension converts it to ACP content only when the prompt is sent, so that files have their contents of that
 * time. Line numbers start at 1 and ranges include the last line; `data` is base64; `title` is the English title for agents, if `label` is
 * translated.
 */
export const attachmentSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("file"), uri: z.string(), label: z.string() }),
  z.object({ type: z.literal("folder"), uri: z.string(), label: z.string() }),
  z.object({
    type: z.literal("symbol"),
    uri: z.string(),
    label: z.string(),
    startLine: z.number(),
    endLine: z.number(),
  }),
  z.object({
    type: z.literal("selection"),
    uri: z.string(),
    label: z.string(),
    startLine: z.number(),
    endLine: z.number(),
    text: z.string(),
  }),
  z.object({ type: z.literal("problems"), label: z.string(), uri: z.optional(z.string()) }),
  z.object({ type: z.literal("terminal"), label: z.string(), text: z.string() }),
  z.object({ type: z.literal("git-diff"), label: z.string() }),
  z.object({ type: z.literal("image"), label: z.string(), mimeType: z.string(), data: z.string() }),
  z.object({ type: z.literal("text"), label: z.string(), title: z.optional(z.string()), text: z.string() }),
]);
export type Attachment = z.infer<typeof attachmentSchema>;

/** Unsaved edit of a queued prompt; `was` is the original text. */
const promptEditSchema = z.object({ messageId: z.string(), was: z.string(), text: z.string() });
export type PromptEdit = z.infer<typeof promptEditSchema>;

export const draftSchema = z.object({
  text: z.string(),
  attachments: z.array(attachmentSchema),
  edit: z.optional(promptEditSchema),
});
export type Draft = z.infer<typeof draftSchema>;
