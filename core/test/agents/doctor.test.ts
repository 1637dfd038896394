import assert from "node:assert/strict";
import { Doctor, reflect } from "../../src/agents/eliza/doctor.js";
import { seededChoice } from "../../src/agents/eliza/eliza-agent.js";
import { recollections, rules } from "../../src/agents/eliza/script.js";

describe("Doctor", () => {
  const answers: [said: string, answer: string][] = [
    ["I need a holiday.", "What would it mean to you to get a holiday?"],
    ["I’m very tired", "I am sorry to hear that you are tired. How long has it been so?"],
    ["Well, I think my boss hates me!", "What makes you think that your boss hates you?"],
    ["my MOTHER calls me every day", "Tell me more about your MOTHER."],
    ["You are not listening to me", "What makes you think that I am not listening to you?"],
    ["Can you help me?", "You would like me to help you. What for?"],
    ["Hello. I can't sleep in my bed", "What keeps you from being able to sleep in your bed?"],
    ["if i were you, i would go", "How likely is it, do you think, that you were me?"],
    ["Why is it raining?", "Why do you ask?"],
    ["There is a bug in it", "Do machines worry you, or rather the people around them?"],
    [
      "I want to die",
      "That sounds very heavy, and I am only a small program. Please talk to someone you trust, or to a crisis line, now. Will you?",
    ],
    ["My neighbour sees me", "Your neighbour sees you? Tell me more."],
    ["Rain.", "Please go on."],
    ["...", "Please go on."],
  ];
  for (const [said, answer] of answers) {
    it(`answers "${said}"`, () => {
      assert.equal(new Doctor(() => 0).answer(said), answer);
    });
  }

  it("comes back to what it was told when it has nothing better to say", () => {
    const doctor = new Doctor(() => 0);
    doctor.answer("My neighbour plays the drums");
    assert.deepEqual(
      [doctor.answer("Rain."), doctor.answer("Rain.")],
      ['Earlier you said "my neighbour plays the drums". Does this have to do with it?', "Please go on."],
    );
  });

  it("fills every place in its replies", () => {
    for (const { pattern, replies } of rules) {
      const groups = new RegExp(`${pattern.source}|`).exec("")?.length ?? 0;
      for (const reply of replies) {
        for (const place of reply.matchAll(/\$(\d)/g)) assert.ok(Number(place[1]) < groups, reply);
      }
    }
    for (const reply of recollections) assert.ok(reply.includes("$1"));
  });

  it("seldom says the same twice in a row when it may choose", () => {
    const doctor = new Doctor(seededChoice(7));
    const said = Array.from({ length: 300 }, () => doctor.answer("Rain."));
    const repeated = said.filter((answer, index) => answer === said[index - 1]).length;
    assert.ok(repeated < 30, `${repeated} of ${said.length}`);
  });
});

describe("reflect", () => {
  const pairs: [mine: string, yours: string][] = [
    ["i love my dog", "you love your dog"],
    ["you are mine", "I am yours"],
    ["i was afraid of you", "you were afraid of me"],
    ["i'm sure you will help me", "you are sure I will help you"],
    ["your constructor", "my constructor"],
    ["toString", "toString"],
  ];
  for (const [mine, yours] of pairs) {
    it(`turns "${mine}" round`, () => {
      assert.equal(reflect(mine), yours);
    });
  }
});
