"""What a pass records of a job that will never start: the provider refused its specification, which no later read would show."""

from runner.domain.control.decisions.draft import Draft
from runner.domain.control.decisions.waves import close_wave
from shared.ids import ActionId
from shared.states import ActionState

JOB_REFUSED = "job_refused"


def refuse_job(draft: Draft, action_id: ActionId, code: str, message: str) -> None:
    """End the action, and its wave if it has one, and ask for a person; nothing if it is no longer this performer's."""
    action = draft.state.run.actions.get(action_id)
    if action is None or action.state is not ActionState.RESERVED or action.performer != draft.situation.performer:
        return
    reason = f"refused: {code}"
    wave = draft.state.run.waves.get(action.wave_id)
    if wave is not None:
        close_wave(draft, wave, action, because=reason, result="refused")
    else:
        draft.end_action(action, "refused", reason)
    draft.ask_attention(JOB_REFUSED, f"{code}: {message[:300]}")
