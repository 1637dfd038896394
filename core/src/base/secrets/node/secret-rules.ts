import type { FindSecrets } from "../known-secrets.js";

interface Rule {
  readonly meta: { readonly id: string };
  create(context: RuleContext, options: object): { file?(source: RuleSource): unknown };
}

interface RuleContext {
  readonly sharedOptions: object;
  createTranslator(messages: unknown): (id: string) => object;
  report(found: { readonly range: readonly [start: number, end: number] }): void;
  ignore(): void;
}

interface RuleSource {
  readonly filePath: string;
  readonly content: string;
  readonly ext: string;
  readonly contentType: "text";
}

/** Matches the name of the secretlint rule that lets comments in the text disable other rules. */
const switchingRule = /filter-comments$/;

/** Loads secretlint's rules for credentials with an issuer-specific form. 70 KB, so loaded only for traces. */
export async function loadSecretRules(): Promise<FindSecrets> {
  const { rules } = (await import("@secretlint/secretlint-rule-preset-recommend")) as unknown as { rules: Rule[] };
  const found: (readonly [start: number, end: number])[] = [];
  const context: RuleContext = {
    sharedOptions: {},
    createTranslator: () => (messageId) => ({ message: messageId, messageId }),
    report: ({ range }) => found.push(range),
    ignore: () => undefined,
  };
  const running = rules.filter(({ meta }) => !switchingRule.test(meta.id)).map((rule) => rule.create(context, {}));
  return (content) => {
    found.length = 0;
    for (const rule of running) rule.file?.({ filePath: "trace.txt", content, ext: ".txt", contentType: "text" });
    return [...found];
  };
}
