import * as z from "zod/mini";

/** Where a transcript was scrolled to: a row, and its distance in pixels from the top of the view. */
export const positionSchema = z.object({ key: z.string(), offset: z.number() });
export type Position = z.infer<typeof positionSchema>;
