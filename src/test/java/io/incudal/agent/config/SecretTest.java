package io.incudal.agent.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SecretTest {
  private static final List<Secret> KNOWN = List.of(new Secret("first"), new Secret("second"));

  @ParameterizedTest
  @CsvSource({
    "nothing of it,                             nothing of it",
    "the first and the second and firstsecond,  the *** and the *** and ******",
    "'iqn=eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.c2ln_-, sent', 'iqn=***, sent'",
    "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0,       eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0",
    "eyJ a.b.c,                                 eyJ a.b.c"
  })
  void masksWhatIsKnownAndWhatLooksLikeAJwt(String text, String shown) {
    assertEquals(shown, Secret.mask(text, KNOWN));
  }
}
