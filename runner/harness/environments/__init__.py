"""Harbor environments that Seawall supplies: where a trial's commands run."""
