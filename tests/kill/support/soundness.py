"""What must hold after every kill, once the run has ended: the log, the evidence, the tables, and nothing left running."""

from collections import Counter

from runner.bootstrap import House
from runner.domain.control.projection.state import RunProjection
from runner.evidence.verification import verify_bundle, verify_run
from runner.usecases.journals.loading import RUN, load_plan
from runner.usecases.results.audit_tables import audit_tables
from shared.documents.evidence.bundle import Marker
from shared.outcomes import Category
from shared.states import AttemptState, RunState, TrialState
from tests.kill.support.installation import Installation
from tests.kill.support.published import Published, differences, read_published


def require_whole_markers(house: House) -> int:
    """Require that every marker that can be seen stands over a whole bundle; return how many there are."""
    count = 0
    for stored in list(house.evidence.list("runs")):
        folder, _, name = stored.path.rpartition("/")
        if name in set(Marker):
            verify_bundle(house.evidence, folder)
            count += 1
    return count


def require_sound(installation: Installation, undisturbed: Published) -> Published:
    """Require that the run ended as `undisturbed` did, and return what it published."""
    house, state = installation.house, installation.state()
    require_clean_log(installation, state)
    assert (state.run.state, state.run.label) == (RunState.COMPLETED, "clean")
    require_no_repeats(installation, state)
    require_whole_markers(house)
    verify_run(house.evidence, installation.run_id)
    plan = load_plan(house.objects, state.run.plan_digest)
    publishing = plan.publishing
    audit = audit_tables(house.results, [publishing.dataset], publishing.catalog)
    assert not audit.findings
    assert audit.publications == 1
    published = read_published(house, publishing)
    assert not (found := differences(published, undisturbed)), found[:9]
    assert installation.living() == []
    return published


def require_clean_log(installation: Installation, state: RunProjection) -> None:
    """Require a dense journal whose fold has no anomaly and leaves nothing open, each event once, and an empty inbox."""
    events = installation.events()
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert max(Counter(event.event_id for event in events).values()) == 1
    assert state.run.anomaly_count == 0, state.run.anomalies
    assert state.open_actions() == []
    assert state.open_waves() == []
    house = installation.house
    assert [subject for subject in house.log.head().open if subject.type == RUN] == []
    assert house.inbox.list(1).waiting == 0
    claims = Counter(event.subject_id for event in events if event.kind == "action_claimed")
    assert not claims or max(claims.values()) == 1


def require_no_repeats(installation: Installation, state: RunProjection) -> None:
    """Require that no trial was tried again after a try of it had succeeded, in the journal and in the evidence alike."""
    begun = Counter(
        stored.path.split("/trials/")[1].split("/")[0]
        for stored in installation.house.evidence.list("runs")
        if stored.path.endswith("/attempt.json")
    )
    tried = 0
    for index in range(state.trials.count):
        trial = state.trials.trial(index)
        real = [each for each in trial.attempts if each not in {AttemptState.RESERVED, AttemptState.RELEASED}]
        assert trial.state is TrialState.SCORED
        assert real[-1] is AttemptState.SUCCEEDED
        assert AttemptState.SUCCEEDED not in real[:-1]
        assert set(trial.failures) <= {Category.LOST, Category.CANCELLED}
        tried += len(real)
    assert begun.total() == tried
