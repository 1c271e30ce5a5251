package io.incudal.agent;

public final class Main {
  private Main() {}

  public static void main(String[] args) {}
}
