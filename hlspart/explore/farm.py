"""Tasks on many processes or machines. Results come in any order; none depends on where or how often it ran."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from typing import Any

from hlspart.explore.errors import FarmError
from hlspart.explore.search import SearchProblem, Task
from hlspart.version import __version__

Done = Callable[[list[dict[str, Any]]], None]
#: Times a task is given to new processes after one died with it.
ATTEMPTS = 5
#: Tasks per worker that are under way at once: enough to keep it busy, few to lose.
AHEAD = 2


def run(
    problem: SearchProblem, tasks: Sequence[Task], done: Done, jobs: int = 1, cluster: str | None = None,
    until: float | None = None,
) -> None:  # fmt: skip
    """Run tasks and hand over their records as they come; ``until``: of the monotonic clock, then none begins.

    Raises :class:`FarmError`.
    """
    if cluster is not None:
        _on_cluster(problem, tasks, done, cluster, until)
    elif jobs == 1 or len(tasks) < 2:
        for task in tasks:
            if until is not None and time.monotonic() >= until:
                return
            done([problem.run(task)])
    else:
        _on_pool(problem, tasks, done, min(jobs, len(tasks)), until)


def _on_pool(problem: SearchProblem, tasks: Sequence[Task], done: Done, jobs: int, until: float | None) -> None:
    """A pool of processes; tasks that were under way when one died are given out again."""
    left = list(tasks)
    for _ in range(ATTEMPTS):
        finished: set[str] = set()
        try:
            spawn = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(jobs, mp_context=spawn, initializer=end_with_driver) as pool:
                _feed(lambda task: pool.submit(problem.run, task), left, done, finished, jobs, until)
            return
        except BrokenProcessPool:
            left = [t for t in left if t.key not in finished]
    raise FarmError(f"processes died {ATTEMPTS} times; {len(left)} tasks are left")


def end_with_driver() -> None:
    """End this process when the driver ends: idle ones hold each other's queue open, and would wait for ever."""
    driver = multiprocessing.parent_process()
    if driver is not None:

        def watch() -> None:
            driver.join()
            os._exit(1)

        threading.Thread(target=watch, daemon=True).start()


def _feed(
    submit: Callable[[Task], Future[dict[str, Any]]], tasks: Sequence[Task], done: Done, finished: set[str],
    jobs: int, until: float | None,
) -> None:  # fmt: skip
    waiting = list(reversed(tasks))
    running: dict[Future[dict[str, Any]], Task] = {}
    while waiting or running:
        expired = until is not None and time.monotonic() >= until
        while waiting and len(running) < jobs * AHEAD and not expired:
            task = waiting.pop()
            running[submit(task)] = task
        if not running:
            return
        ready, _ = wait(running, return_when=FIRST_COMPLETED)
        broken = None
        records = []
        for future in ready:
            task = running.pop(future)
            try:
                records.append(future.result())
                finished.add(task.key)
            except BrokenProcessPool as error:
                broken = error
        if records:
            done(records)
        if broken is not None:
            raise broken


def worker_version() -> str:
    """The version that a worker runs."""
    return __version__


def _on_cluster(problem: SearchProblem, tasks: Sequence[Task], done: Done, where: str, until: float | None) -> None:
    """``dask.distributed``: a scheduler's address, ``local:N`` processes of this machine, ``slurm:N`` jobs."""
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise FarmError("--cluster needs dask.distributed: pip install 'hlspart[cluster]'") from None
    kind, _, rest = where.partition(":")
    if kind == "slurm":
        client = distributed.Client(_slurm(int(rest or 1)))
        client.wait_for_workers(1)
    elif kind == "local":
        client = distributed.Client(
            distributed.LocalCluster(
                n_workers=int(rest),
                threads_per_worker=1,
                dashboard_address=None,
                host="127.0.0.1",
                silence_logs="ERROR",
            )
        )
    else:
        try:
            client = distributed.Client(where, timeout=10)
        except (OSError, ValueError) as error:
            raise FarmError(f"no scheduler answers at {where}: {error}") from None
    try:
        versions = client.run(worker_version)
        others = {w: v for w, v in versions.items() if v != __version__}
        if others:
            worker, version = next(iter(sorted(others.items())))
            raise FarmError(f"the worker {worker} runs hlspart {version}, this is {__version__}")
        shared = client.scatter(problem, broadcast=True)
        waiting = list(reversed(tasks))
        jobs = max(1, len(versions))
        running = distributed.as_completed()
        under_way = 0
        while waiting or under_way:
            expired = until is not None and time.monotonic() >= until
            while waiting and under_way < jobs * AHEAD and not expired:
                running.add(client.submit(_on_worker, shared, waiting.pop(), __version__, pure=False, retries=ATTEMPTS))
                under_way += 1
            if not under_way:
                return
            record = next(running).result()
            under_way -= 1
            done([record])
    finally:
        client.close()
        if client.cluster is not None:
            client.cluster.close()


def _slurm(jobs: int) -> Any:
    """Workers as jobs of Slurm; what a job is comes from the settings of dask-jobqueue."""
    try:
        dask_jobqueue: Any = import_module("dask_jobqueue")
    except ImportError:
        raise FarmError("--cluster slurm needs dask-jobqueue: pip install dask-jobqueue") from None
    try:
        cluster = dask_jobqueue.SLURMCluster()
        cluster.scale(jobs=jobs)
    except (OSError, ValueError, RuntimeError) as error:
        raise FarmError(f"no jobs of Slurm: {error}") from None
    return cluster


def _on_worker(problem: SearchProblem, task: Task, version: str) -> dict[str, Any]:
    """A worker may come while the search runs: it is asked again which version it is."""
    if version != __version__:
        raise FarmError(f"a worker runs hlspart {__version__}, the driver {version}")
    return problem.run(task)
