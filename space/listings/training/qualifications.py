"""Every qualification of a build: the proof that it can train, its checks with what failed, passed or not."""

from typing import Final

from space.listings.listing import Listing
from space.listings.training.declared import JOB, asks, fields

FIELDS: Final = fields(
    "qualification_id trainer_part build recipe_class environment policy state checks:l failed_checks:l resume_mode "
    "first_divergent_step:i optimizer_steps:i nonzero_gradient_updates:i captured:i consumed:i eligible_tokens:i "
    "retained_tokens:i rows_over_budget:i dropped_rollouts:i logprob_mean_abs:f logprob_max_abs:f effective_sample_size:f "
    f"{JOB} receipt audits:l"
)
LISTING: Final = Listing(
    name="qualifications",
    title="Qualifications",
    parameters=frozenset(()),
    fields=FIELDS,
    ask=asks("qualifications", FIELDS, key="qualification_id", newest="finished_at"),
)
