"""bench-morph S2G BUILD MAPPING OUT: the tables of a build as N-Triples, with Morph-KGC and two processes, through the private server's
socket. Prints the triples a second and the peak memory of all its processes."""
import os, re, subprocess, sys, time

s2g, build, mapping, out = sys.argv[1:]
with subprocess.Popen([s2g, "db", "--quiet", "--out", build], stdout=subprocess.PIPE, text=True) as tables:
    socket = re.search(r"unix\((.*)\)", tables.stdout.readline()).group(1)
    with open(out + ".ini", "w") as config:
        config.write(f"""[CONFIGURATION]
output_file: {out}
output_format: N-TRIPLES
number_of_processes: 2
logging_level: WARNING
[tables]
mappings: {mapping}
db_url: mysql+pymysql://root@localhost/s2g?unix_socket={socket}
""")
    began, peak = time.perf_counter(), 0
    morph = subprocess.Popen([sys.executable, "-m", "morph_kgc", out + ".ini"], start_new_session=True, stdout=sys.stderr)

    def resident(pid):
        try:
            with open(f"/proc/{pid}/stat") as stat:
                fields = stat.read().rpartition(")")[2].split()
            return int(fields[21]) * 4096 if int(fields[3]) == morph.pid else 0
        except OSError:
            return 0

    while morph.poll() is None:
        peak = max(peak, sum(resident(pid) for pid in os.listdir("/proc") if pid.isdigit()))
        time.sleep(0.1)
    took = time.perf_counter() - began
    tables.terminate()
if morph.returncode:
    sys.exit(morph.returncode)
with open(out, "rb") as triples:
    count = sum(1 for _ in triples)
print(f"{count / took:.0f} triples/s with Morph-KGC: {count} triples in {took:.1f} s, {peak / 2**20:.0f} MiB")
