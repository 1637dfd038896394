import * as z from "zod/mini";

export interface Storage {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const permissionRecordSchema = z.object({
  /** Milliseconds since the epoch. */
  at: z.number(),
  agentName: z.string(),
  title: z.string(),
  toolKind: z.string(),
  detail: z.string(),
  effect: z.enum(["allow", "reject", "cancel"]),
  /** `user`, `bypass`, or the rule's description. */
  by: z.string(),
  answer: z.string(),
});
export type PermissionRecord = z.infer<typeof permissionRecordSchema>;

const historyKey = "symposium.permissionHistory";
const maxRecords = 500;
const maxDetailChars = 500;

export class PermissionHistory {
  constructor(
    private readonly workspace: Storage,
    private readonly now: () => number = Date.now,
  ) {}

  /** Permission records in order, newest last. */
  get records(): readonly PermissionRecord[] {
    return listIn(this.workspace, historyKey, permissionRecordSchema);
  }

  async record(record: Omit<PermissionRecord, "at">): Promise<void> {
    const entry = { ...record, at: this.now(), detail: record.detail.slice(0, maxDetailChars) };
    await this.workspace.update(historyKey, [...this.records, entry].slice(-maxRecords));
  }

  async clear(): Promise<void> {
    await this.workspace.update(historyKey, []);
  }
}

/** Returns the entries of a stored list. Skips entries that can't be parsed, as from other versions. */
function listIn<Schema extends z.ZodMiniType>(storage: Storage, key: string, schema: Schema): z.output<Schema>[] {
  const stored = z.array(z.unknown()).safeParse(storage.get(key));
  if (!stored.success) return [];
  return stored.data.flatMap((value) => {
    const parsed = schema.safeParse(value);
    return parsed.success ? [parsed.data] : [];
  });
}
