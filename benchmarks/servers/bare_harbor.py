"""The baseline of harness_overhead: N trials of one task through bare Harbor in one asyncio process, C at once.

Run by the harness environment's interpreter: `python -m benchmarks.servers.bare_harbor TASK FOLDER N C`.
"""

import asyncio
import sys
from pathlib import Path


async def main(task: str, folder: str, count: int, width: int) -> None:
    """Run the trials."""
    from harbor.models.trial.config import TrialConfig
    from harbor.trial.trial import Trial

    slots = asyncio.Semaphore(width)

    async def one(number: int) -> None:
        async with slots:
            config = {
                "task": {"path": task},
                "trial_name": f"trial-{number}",
                "trials_dir": folder,
                "agent": {"name": "oracle"},
                "environment": {"import_path": "runner.harness.environments.local_sandbox:LocalSandbox"},
            }
            trial = await Trial.create(TrialConfig.model_validate(config))
            await trial.run()

    async with asyncio.TaskGroup() as group:
        for number in range(count):
            group.create_task(one(number))
    results = len(list(Path(folder).glob("*/result.json")))
    if results != count:
        sys.exit(f"expected {count} results, found {results}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
