import * as z from "zod/mini";

/** One ACP content block, passed on as it came; the view shows the kinds it knows and the rest as JSON. */
export const contentBlockSchema = z.looseObject({ type: z.string() });
export type ContentBlock = z.infer<typeof contentBlockSchema>;

/**
 * What a user adds to a prompt besides its text. The extension turns it into ACP content when the prompt is sent, so
 * that files are read then and not when they were picked. Lines are 1-based and inclusive; `data` is base64.
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
  z.object({ type: z.literal("text"), label: z.string(), text: z.string() }),
]);
export type Attachment = z.infer<typeof attachmentSchema>;

/** Another text for a prompt of the queue, which the user has not saved yet; `was` is the one that it began with. */
const promptEditSchema = z.object({ messageId: z.string(), was: z.string(), text: z.string() });
export type PromptEdit = z.infer<typeof promptEditSchema>;

/** What a user wrote and has not sent, or has sent: text and what is attached to it. */
export const draftSchema = z.object({
  text: z.string(),
  attachments: z.array(attachmentSchema),
  edit: z.optional(promptEditSchema),
});
export type Draft = z.infer<typeof draftSchema>;
