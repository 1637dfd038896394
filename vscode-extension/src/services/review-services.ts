import type { ChatTabs } from "../features/chat/chat-tabs.js";
import type { Logger } from "../features/log/logger.js";
import type { ViewMessages } from "../features/pages/message-hub.js";
import type { CommentDelivery } from "../features/review/comments/comment-threads.js";
import { FollowAgent } from "../features/review/marks/follow-agent.js";
import type { ReviewPlace } from "../features/review/store/review-folder-lock.js";
import { Review } from "../features/review/review.js";
import type { SettingsSource } from "../features/settings/settings-source.js";
import type { Snapshots } from "../features/snapshots/snapshots.js";

interface ReviewServicesOptions {
  readonly place: ReviewPlace;
  readonly adoptBeside: (file: string) => Promise<void>;
  readonly snapshots: Snapshots;
  readonly messages: ViewMessages;
  readonly settings: SettingsSource;
  readonly tabs: () => ChatTabs;
  readonly delivery: CommentDelivery;
  readonly logger: Logger;
}

export function reviewOf({ settings, tabs, logger, ...parts }: ReviewServicesOptions): Review {
  const review = new Review({
    ...parts,
    worktreeOf: (tabId) => tabs().tab(tabId)?.record.worktree?.root,
    isMarked: () => settings.settings.reviewChanges,
    showsRemoved: () => settings.settings.showRemovedLines,
    onChangedFiles: (tabId, files) => {
      tabs()
        .tab(tabId)
        ?.transcript.publish({ op: "tab", patch: { changedFiles: [...files] } });
      follow.changed(tabId, files);
    },
    onProblem: (thrown) => logger.error("review", "the review failed", { reason: String(thrown) }),
  });
  const follow = new FollowAgent(review.book, (tabId) => {
    const isSelected = tabs().selected === tabId;
    return isSelected && settings.settings.followAgent && tabs().tab(tabId)?.state.phase === "running";
  });
  return review;
}
