//! Errors without an id on a server's output.
//!
//! They may answer anything that the server was sent: a sloppy one refuses the notification that ends the handshake, and
//! answers the request that follows properly. So a real answer that comes soon after such an error wins over it.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::{DISCOVER, Effect, INITIALIZE, Refusal, Request, Tap};
use crate::connect::frames::{AnswerId, Frame, Payload};

/// How long the real answer may take after an error without an id.
const GRACE: Duration = Duration::from_secs(2);

/// An error without an id, and the request that it ends unless another answer comes.
pub(super) struct Unowned {
    request: i64,
    refusal: Refusal,
    seen: u64,
    due: Instant,
}

impl Tap {
    /// Looks at a line of a server's output.
    pub(in crate::connect) fn line(&self, message: &[u8]) -> Vec<Effect> {
        self.each(message, Self::frame_of_output)
    }

    fn frame_of_output(&self, frame: Frame<'_>, message: &[u8]) -> Option<Effect> {
        let Frame::Answer { id: AnswerId::Null, payload } = &frame else { return self.frame(frame, message) };
        let Payload::Error { code, message: text, .. } = payload else { return self.frame(frame, message) };
        let mut state = self.state();
        let waiting = state.waiting();
        let waits_for = waiting.and_then(|id| state.requests.get(&id));
        // Nothing but an opening request was sent before, so the error answers that.
        if matches!(waits_for, Some(Request::Waiting { method: INITIALIZE | DISCOVER })) {
            drop(state);
            return self.frame(frame, message);
        }
        if let Some(request) = waiting
            && state.unowned.as_ref().is_none_or(|held| held.request != request)
        {
            let refusal = Refusal { code: *code, message: text.clone() };
            let (seen, due) = (payload.digest(&self.key), Instant::now() + GRACE);
            state.unowned = Some(Unowned { request, refusal, seen, due });
            self.unowned.notify_one();
        }
        drop(state);
        self.odd(message);
        None
    }

    /// Waits until a request has got nothing but an error without an id for a while: that is its answer then.
    pub(in crate::connect) async fn until_disowned(&self) -> Refusal {
        loop {
            let due = self.state().unowned.as_ref().map(|held| held.due);
            match due {
                Some(due) => {
                    sleep_until(due).await;
                    if let Some(refusal) = self.disowned() {
                        return refusal;
                    }
                }
                None => self.unowned.notified().await,
            }
        }
    }

    /// The error without an id that ends the request under way, if there was one: nothing else will come.
    pub(in crate::connect) fn disowned(&self) -> Option<Refusal> {
        let mut state = self.state();
        let Unowned { request, refusal, seen, .. } = state.unowned.take()?;
        let Some(Request::Waiting { method }) = state.requests.get(&request) else { return None };
        // Another answer that comes later after all makes two.
        let answered = Request::Answered { method, seen };
        state.requests.insert(request, answered);
        state.refusals.insert(request, refusal.clone());
        Some(refusal)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::waiting;
    use super::*;
    use crate::connect::catalogue::TOOLS;

    const ERROR: &[u8] = br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}"#;
    const ANSWER: &[u8] = br#"{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}"#;

    #[tokio::test]
    async fn an_answer_that_comes_after_an_error_without_an_id_wins() {
        let tap = waiting();
        assert!(tap.line(ERROR).is_empty() && !tap.is_answered(1));
        assert_eq!(tap.line(ANSWER).len(), 1);
        assert!(tap.disowned().is_none() && tap.ambiguous().is_empty());
        assert_eq!(tap.odd_traffic().count, 1);
    }

    #[tokio::test]
    async fn an_error_without_an_id_is_the_answer_if_no_other_comes_in_time() {
        let tap = waiting();
        tap.line(ERROR);
        let began = Instant::now();
        assert_eq!(tap.until_disowned().await.code, -32601);
        assert!(began.elapsed() >= GRACE && tap.is_answered(1));
        tap.line(ANSWER);
        assert_eq!(tap.ambiguous(), [TOOLS.method]);
    }
}
