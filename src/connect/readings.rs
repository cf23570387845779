//! How often a server is read until we are sure what it says.
//!
//! A first reading that agrees with what is expected is final. Anything else is read again, in the same session, before
//! it is called anything; a pin reads at least three times, the last from a second start. This file knows what it means
//! for two readings to agree, and nothing of what a difference between them means.

use tokio::time::Instant;

use super::session::{Closing, Session};
use super::{Again, Failure, Offer, Target};
use crate::launch::Transport;
use crate::surface::{Kind, Surface};

/// The most listings in one session. A server that lists nothing yet gets about five seconds to begin.
const MOST_LISTINGS: usize = 6;

/// What one server said, over one or more readings.
#[derive(Clone, Debug)]
pub struct Readings {
    /// The last reading.
    pub surface: Surface,
    /// Earlier readings that differ from it and from each other, in order.
    pub earlier: Vec<Surface>,
    /// Methods that were answered twice with different bytes.
    pub ambiguous: Vec<&'static str>,
    /// How many messages were no protocol and were skipped.
    pub odd: usize,
    /// The beginning of the first of them: foreign text.
    pub odd_sample: Option<String>,
    /// How many listings were read.
    pub count: usize,
    /// A session ended before two listings in a row agreed.
    pub unsettled: bool,
}

impl Readings {
    /// One reading, of which nothing else is known.
    pub fn of_one(surface: Surface) -> Self {
        Self {
            surface,
            earlier: Vec::new(),
            ambiguous: Vec::new(),
            odd: 0,
            odd_sample: None,
            count: 1,
            unsettled: false,
        }
    }
}

/// How sure one must be that a list doesn't change any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Patience {
    /// What agrees is believed at once.
    Brief,
    /// What agrees is believed if no change is announced for as long as the server gets to settle.
    Long,
}

/// What is asked of one session.
#[derive(Clone, Copy)]
struct Asked<'a> {
    /// The revision that is offered.
    offer: &'a Offer,
    /// What the server is expected to say, if anything is.
    expected: Option<&'a Surface>,
    /// The fewest listings.
    least: usize,
    patience: Patience,
}

/// Reads a server, at least `least` times, until it agrees with `expected` or two readings agree with each other.
///
/// # Errors
/// When the server can't be read to the end.
pub async fn check(target: &Target, expected: Option<&Surface>, least: usize) -> Result<Readings, Failure> {
    let mut log = Log::new(target);
    let brief = Asked { offer: &target.offer, expected, least, patience: Patience::Brief };
    log.session(brief).await?;
    if log.closing.list_changed {
        // The list changed when nobody could read it again; a new start shows what it changed to.
        let least = least.max(2);
        log.session(Asked { offer: &log.same_protocol(), least, patience: Patience::Long, ..brief }).await?;
    }
    for _ in 1..sessions(target, least) {
        log.session(Asked { offer: &log.same_protocol(), least: 1, ..brief }).await?;
    }
    Ok(log.readings())
}

/// Reads a server at least three times and at least `least` times: twice or more in a session, and once from a second start.
///
/// # Errors
/// When the server can't be read to the end.
pub async fn pin(target: &Target, least: usize) -> Result<Readings, Failure> {
    let mut log = Log::new(target);
    let long = Asked { offer: &target.offer, expected: None, least: least.max(2), patience: Patience::Long };
    log.session(long).await?;
    let first = log.last.clone();
    for _ in 1..sessions(target, least).max(2) {
        let least = if log.closing.list_changed { 2 } else { 1 };
        log.session(Asked { offer: &log.same_protocol(), expected: first.as_ref(), least, ..long }).await?;
    }
    Ok(log.readings())
}

/// How many sessions so many readings take: an address can stand for several servers, which only new sessions reach.
fn sessions(target: &Target, readings: usize) -> usize {
    match target.launch.transport {
        Transport::Http { .. } => readings,
        Transport::Stdio { .. } | Transport::Saved => 1,
    }
}

/// All that was read from one server so far.
struct Log<'a> {
    target: &'a Target,
    deadline: Instant,
    last: Option<Surface>,
    earlier: Vec<Surface>,
    count: usize,
    unsettled: bool,
    closing: Closing,
}

impl<'a> Log<'a> {
    fn new(target: &'a Target) -> Self {
        let deadline = Instant::now() + target.limits.server;
        Self {
            target,
            deadline,
            last: None,
            earlier: Vec::new(),
            count: 0,
            unsettled: false,
            closing: Closing::default(),
        }
    }

    /// The revision that the server agreed on: a second start need not ask again.
    fn same_protocol(&self) -> Offer {
        self.last.as_ref().map_or(Offer::Newest, |surface| Offer::Version(surface.protocol.clone()))
    }

    /// Opens a session, reads listings until they agree, and closes it. What failed for a reason that another start may
    /// cure is tried again, and what the failed session listed is forgotten.
    async fn session(&mut self, asked: Asked<'_>) -> Result<(), Failure> {
        let failure = match self.attempt(asked).await {
            Ok(()) => return Ok(()),
            Err(failure) => failure,
        };
        match failure.again.clone() {
            Again::No => Err(failure),
            Again::Fresh => self.attempt(asked).await,
            // The newest handshake is only a guess after the expected one failed: that failure is the one to tell.
            Again::With(Offer::Newest) => {
                self.attempt(Asked { offer: &Offer::Newest, ..asked }).await.map_err(|_| failure)
            }
            Again::With(other) => self.attempt(Asked { offer: &other, ..asked }).await,
        }
    }

    async fn attempt(&mut self, asked: Asked<'_>) -> Result<(), Failure> {
        let mut session = Session::open(self.target, asked.offer, self.deadline).await?;
        match listings(&mut session, asked).await {
            Ok(Listings { read, unsettled }) => {
                self.unsettled |= unsettled;
                self.closing = session.close().await.after(std::mem::take(&mut self.closing));
                self.count += read.len();
                for surface in read {
                    self.add(surface);
                }
                Ok(())
            }
            Err(failure) => Err(session.fail(failure).await),
        }
    }

    fn add(&mut self, surface: Surface) {
        let Some(previous) = self.last.replace(surface) else { return };
        self.earlier.push(previous);
    }

    fn readings(self) -> Readings {
        let Self { last, earlier, count, unsettled, closing, .. } = self;
        let surface = last.unwrap_or_else(|| Surface::new(String::new(), Default::default(), Vec::new()));
        let mut different: Vec<Surface> = Vec::new();
        for reading in earlier {
            if !reading.agrees_with(&surface) && !different.iter().any(|known| known.agrees_with(&reading)) {
                different.push(reading);
            }
        }
        let Closing { ambiguous, odd, .. } = closing;
        Readings { surface, earlier: different, ambiguous, odd: odd.count, odd_sample: odd.sample, count, unsettled }
    }
}

/// The listings of one session.
struct Listings {
    read: Vec<Surface>,
    /// There was no end to it: the last one agrees with nothing.
    unsettled: bool,
}

/// Lists until the last listing agrees with what is expected, or with the one before.
async fn listings(session: &mut Session<'_>, asked: Asked<'_>) -> Result<Listings, Failure> {
    let Asked { expected, least, patience, .. } = asked;
    let mut read: Vec<Surface> = Vec::new();
    loop {
        read.push(session.list().await?);
        let [.., last] = read.as_slice() else { continue };
        let expected_now = expected.is_some_and(|expected| last.agrees_with(expected));
        let confirmed = read.len() >= 2 && read[read.len() - 2].agrees_with(last);
        if read.len() >= MOST_LISTINGS.max(least) {
            return Ok(Listings { read, unsettled: !expected_now && !confirmed });
        }
        let still_empty = !last.has(Kind::Tool) && last.about.declares("tools");
        let agrees = read.len() >= least && (expected_now || (confirmed && !still_empty));
        if agrees && !session.list_changed() && (patience == Patience::Brief || session.is_quiet().await) {
            return Ok(Listings { read, unsettled: false });
        }
        let doublings = if still_empty { u32::try_from(read.len().saturating_sub(2)).unwrap_or_default() } else { 0 };
        session.settle(doublings).await;
    }
}
