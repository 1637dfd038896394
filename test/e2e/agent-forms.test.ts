import assert from "node:assert/strict";
import { claude } from "../support/agents/agent-recipes.js";
import { callToolWith, say } from "../support/fake-model/script.js";
import { usePackage } from "../support/packages/use-package.js";
import { useTestScope } from "../support/test-scope.js";
import { openSession } from "../support/agents/agent-session.js";
import { conducted } from "../support/agents/routes.js";
import { scaledMs } from "../support/until.js";

const preview = "const retries = 3;";
const question = {
  question: "How often should it try again?",
  header: "Retries",
  multiSelect: false,
  options: [
    { label: "Three times", description: "As before", preview },
    { label: "Never", description: "Fail at once" },
  ],
};

describe(`forms of ${claude.name} ${claude.version}, through the conductor`, function () {
  this.timeout(scaledMs(400_000));
  const binFolder = usePackage(claude);
  const scope = useTestScope();

  it("show the question with its choices, previews and a field for another answer, which reaches the model", async function () {
    const forms: unknown[] = [];
    const agent = { recipe: claude, binFolder: binFolder(this), route: conducted };
    const { model, client, sessionId } = await openSession(scope(), agent, {
      script: () => [callToolWith(/^AskUserQuestion$/, { questions: [question] }), say("All ", "done.")],
      answerForm: (form) => {
        forms.push(form);
        return { action: "accept", content: { question_0_custom: "Five times, on Mondays" } };
      },
    });
    const { stopReason } = await client.prompt(sessionId, "Ask me.");
    const text = JSON.stringify(forms);
    assert.deepEqual(
      {
        stopReason,
        forms: forms.length,
        hasChoices: question.options.every(({ label }) => text.includes(label)),
        hasPreview: text.includes(`"_claude/askUserQuestionOption":{"preview":"${preview}"}`),
        isRead: model.requests.some(({ toolResults }) =>
          toolResults.some((result) => result.text.includes("Five times, on Mondays")),
        ),
      },
      { stopReason: "end_turn", forms: 1, hasChoices: true, hasPreview: true, isRead: true },
    );
  });
});
