"""Commands that show: topics, hints, answers of earlier times, statistics, notebooks."""
