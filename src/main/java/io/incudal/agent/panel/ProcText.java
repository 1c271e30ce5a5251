package io.incudal.agent.panel;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Reads the kernel's text files under {@code /proc}. Pure; a line that is missing gives a missing
 * figure, never an exception, for old kernels and containers lack some.
 */
final class ProcText {
  private static final Pattern BLANKS = Pattern.compile("\\s+");
  private static final Pattern CPU = Pattern.compile("cpu\\d+");

  private ProcText() {}

  /**
   * Ticks since the machine started.
   *
   * @param cpus how many there are
   * @param idle those without work, waiting for a disk included
   */
  record CpuTimes(int cpus, long idle, long total) {}

  /** From {@code /proc/stat}. */
  static CpuTimes cpuTimes(String stat) {
    int cpus = 0;
    long idle = 0;
    long total = 0;
    for (String line : (Iterable<String>) stat.lines()::iterator) {
      String[] words = BLANKS.split(line);
      if (words[0].equals("cpu")) {
        // user nice system idle iowait irq softirq steal; guest time is a part of user time.
        for (int i = 1; i < Math.min(words.length, 9); i++) {
          long ticks = Long.parseLong(words[i]);
          total += ticks;
          idle += i == 4 || i == 5 ? ticks : 0;
        }
      } else if (CPU.matcher(words[0]).matches()) {
        cpus++;
      }
    }
    return new CpuTimes(cpus, idle, total);
  }

  /** From {@code /proc/meminfo}: KiB by name. */
  static Map<String, Long> memory(String meminfo) {
    Map<String, Long> figures = new HashMap<>();
    meminfo
        .lines()
        .map(BLANKS::split)
        .filter(words -> words.length >= 2 && words[0].endsWith(":"))
        .forEach(
            words ->
                figures.put(
                    words[0].substring(0, words[0].length() - 1), Long.parseLong(words[1])));
    return figures;
  }

  /** The blank-separated numbers at the start of {@code /proc/loadavg} and {@code /proc/uptime}. */
  static double number(String text, int index) {
    return Double.parseDouble(BLANKS.split(text)[index]);
  }
}
